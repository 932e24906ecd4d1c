//===- Binary.cpp - tiling of the Binary family ---------------------------===//

#include "dialects/tpu/Binary.h"

#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/sequence/Functions.h"
#include "runtime/chips/Chip.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

// An AR command reads any strides; in a sequence other commands may come first.
bool BinaryOp::readsStrided(unsigned) { return !isSequence(); }

InputNeed BinaryOp::inputNeed(unsigned operand, const Box &result) {
  return broadcastNeed(getOperand(operand), result);
}

bool BinaryOp::hasRecipe() { return true; }

unsigned BinaryOp::commandCount() {
  if (std::optional<Sequence> sequence = sequenceOf(*this))
    return sequence->steps.size();
  return getMultipliers() ? 5 : 1 + getRelu();
}
