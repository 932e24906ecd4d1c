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

void BinaryOp::localBuffers(const Chip &chip, const Box &result, ArrayRef<Box>,
                            SmallVectorImpl<LocalBuffer> &buffers) {
  if (std::optional<Sequence> sequence = sequenceOf(*this))
    return addSequenceBuffers(chip, *sequence, result.size, buffers);
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
  if (std::optional<Sequence> sequence = sequenceOf(*this))
    return sequence->steps.size();
  return getMultipliers() ? 5 : 1 + getRelu();
}
