//===- Binary.cpp - tiling of the Binary family ---------------------------===//

#include "dialects/tpu/Binary.h"

#include "dialects/tpu/GroupPlan.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

bool BinaryOp::readsStrided(unsigned) { return true; }

InputNeed BinaryOp::inputNeed(unsigned operand, const Box &result) {
  return broadcastNeed(getOperand(operand), result);
}

void BinaryOp::localBuffers(const Chip &, const Box &result, ArrayRef<Box>,
                            SmallVectorImpl<LocalBuffer> &buffers) {
  auto scratch = [&](const Dims &dims, unsigned bits) {
    buffers.push_back(
        {LocalBuffer::Scratch, {dims, bits, LocalLayout::Aligned}, 0, false});
  };
  if (getKind() == BinaryKind::ShiftRight && getRhs())
    scratch(inputNeed(1, result).box.size, 8); // the negated amount
  if (!isQuantized(getLhs()) || !getMultipliers())
    return;
  if (getKind() == BinaryKind::Mul) {
    scratch(result.size, 32); // the exact product
    return;
  }
  scratch(inputNeed(0, result).box.size,
          16); // both sides at the scale of the result
  scratch(inputNeed(1, result).box.size, 16);
  if (!elementIsSigned(getOutput()))
    scratch(result.size,
            16); // a sum of signed operands cannot be stored unsigned
}

unsigned BinaryOp::commandCount() {
  return getMultipliers() ? 5 : 1 + getRelu();
}
