//===- Select.cpp - tiling of the Select family ---------------------------===//

#include "dialects/tpu/Select.h"

#include "dialects/tpu/GroupPlan.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

bool CompareOp::readsStrided(unsigned) { return true; }

InputNeed CompareOp::inputNeed(unsigned operand, const Box &result) {
  return broadcastNeed(getOperand(operand), result);
}

InputNeed SelectOp::inputNeed(unsigned operand, const Box &result) {
  return broadcastNeed(getOperand(operand), result);
}

// The command reads whole aligned tensors: a side that repeats is spread out
// first.
void SelectOp::localBuffers(const Chip &, const Box &result, ArrayRef<Box>,
                            SmallVectorImpl<LocalBuffer> &buffers) {
  for (Value operand : getOperands())
    if (dimsOf(operand) != dimsOf(getOutput()))
      buffers.push_back(
          {LocalBuffer::Scratch,
           {result.size, elementBits(elementOf(operand)), LocalLayout::Aligned},
           0,
           false});
}

unsigned SelectOp::commandCount() {
  unsigned spread = 0;
  for (Value operand : getOperands())
    spread += dimsOf(operand) != dimsOf(getOutput());
  return 1 + spread;
}
