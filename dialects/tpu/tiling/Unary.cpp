//===- Unary.cpp - tiling of the Unary family -----------------------------===//

#include "dialects/tpu/Unary.h"

#include "dialects/tpu/GroupPlan.h"
#include "runtime/chips/Chip.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

InputNeed UnaryOp::inputNeed(unsigned, const Box &result) {
  return {result, {}};
}

// Every sequence starts with an AR command, which reads any strides.
bool UnaryOp::readsStrided(unsigned) { return true; }

void UnaryOp::localBuffers(const Chip &chip, const Box &result, ArrayRef<Box>,
                           SmallVectorImpl<LocalBuffer> &buffers) {
  unsigned bits = elementBits(elementOf(getOutput()));
  auto scratch = [&](unsigned width) {
    buffers.push_back({LocalBuffer::Scratch,
                       {result.size, width, LocalLayout::Aligned},
                       0,
                       false});
  };
  switch (getKind()) {
  case UnaryKind::HardSwish:
  case UnaryKind::LeakyRelu:
    scratch(bits);
    return;
  case UnaryKind::Sigmoid:
  case UnaryKind::Exp:
    addExpScratch(chip, result.size, buffers);
    scratch(32); // the argument in f32
    return;
  case UnaryKind::Floor:
  case UnaryKind::Ceil:
  case UnaryKind::Reciprocal:
    if (bits == 16)
      scratch(32);
    return;
  default:
    return;
  }
}

unsigned UnaryOp::commandCount() {
  switch (getKind()) {
  case UnaryKind::HardSwish:
    return 5;
  case UnaryKind::HardSigmoid:
    return 4;
  case UnaryKind::Sigmoid:
  case UnaryKind::Exp:
    return 15;
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
