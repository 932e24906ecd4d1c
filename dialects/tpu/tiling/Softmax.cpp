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
  Dims half = result.size, statistics = result.size;
  half[getAxis()] = (half[getAxis()] + 1) / 2;
  statistics[getAxis()] = 1;
  auto scratch = [&](const Dims &dims) {
    buffers.push_back(
        {LocalBuffer::Scratch, {dims, 32, LocalLayout::Aligned}, 0, false});
  };
  addExpScratch(chip, result.size, buffers);
  scratch(result.size);
  scratch(half);
  scratch(statistics);
}

unsigned SoftmaxOp::commandCount() {
  unsigned steps = 0; // of the trees of maximum and sum
  for (int64_t size = dimsOf(getInput())[getAxis()]; size > 1;
       size = (size + 1) / 2)
    ++steps;
  return 18 + 2 * steps;
}
