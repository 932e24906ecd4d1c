//===- Unary.cpp - tiling of the Unary family -----------------------------===//

#include "dialects/tpu/Unary.h"

#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/sequence/Functions.h"
#include "runtime/chips/Chip.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

InputNeed UnaryOp::inputNeed(unsigned, const Box &result) {
  return {result, {}};
}

// An AR command reads any strides; in a sequence other commands may come first.
bool UnaryOp::readsStrided(unsigned) { return !sequenceOf(*this); }

bool UnaryOp::hasRecipe() { return true; }

unsigned UnaryOp::commandCount() {
  if (std::optional<Sequence> sequence = sequenceOf(*this))
    return sequence->steps.size();
  switch (getKind()) {
  case UnaryKind::HardSwish:
    return 5;
  case UnaryKind::HardSigmoid:
    return 4;
  default:
    return 2;
  }
}

bool LutOp::isPackedOperand(unsigned operand) { return operand == 1; }

InputNeed LutOp::inputNeed(unsigned, const Box &result) { return {result, {}}; }

void LutOp::localBuffers(const Chip &chip, const Box &, ArrayRef<Box>,
                         SmallVectorImpl<LocalBuffer> &buffers) {
  // One copy of the table in every lane.
  LocalTensor table{
      {1, static_cast<int64_t>(chip.lanes), 1, 256}, 8, LocalLayout::Aligned};
  buffers.push_back({LocalBuffer::Constant, table, 0, /*broadcast=*/true});
}
