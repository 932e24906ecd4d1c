//===- Softmax.cpp - tiling of the Softmax family -------------------------===//

#include "dialects/tpu/Softmax.h"

#include "dialects/tpu/GroupPlan.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

Box SoftmaxOp::computedBox(const Box &wanted) {
  Box box = wanted;
  box.offset[getAxis()] = 0;
  box.size[getAxis()] = dimsOf(getInput())[getAxis()];
  return box;
}

InputNeed SoftmaxOp::inputNeed(unsigned, const Box &result) {
  return {result, {}};
}

void SoftmaxOp::localBuffers(const Chip &chip, const Box &result, ArrayRef<Box>,
                             SmallVectorImpl<LocalBuffer> &buffers) {
  // Works on rows: with axis c the tensor is transposed so that c lies along w.
  Dims rows = result.size;
  unsigned axis = getAxis();
  if (axis == kAxisC) {
    std::swap(rows[kAxisC], rows[kAxisW]);
    axis = kAxisW;
  }
  Dims statistics = rows;
  statistics[axis] = 1;
  auto scratch = [&](const Dims &dims) {
    buffers.push_back(
        {LocalBuffer::Scratch, {dims, 32, LocalLayout::Aligned}, 0, false});
  };
  addExpScratch(chip, rows, buffers);
  scratch(rows);
  scratch(statistics);
  if (axis != getAxis() || elementBits(elementOf(getOutput())) == 16)
    scratch(result.size);
}

unsigned SoftmaxOp::commandCount() { return 20; }
