//===- Reduce.cpp - tiling of the Reduce family ---------------------------===//

#include "dialects/tpu/Reduce.h"

#include "dialects/tpu/GroupPlan.h"
#include "runtime/chips/Chip.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// `result` with the whole axis of `input`.
static Box withWholeAxis(Box result, Value input, unsigned axis) {
  result.offset[axis] = 0;
  result.size[axis] = dimsOf(input)[axis];
  return result;
}

/// Steps of a tree over `size` elements.
static unsigned treeSteps(int64_t size) {
  unsigned steps = 0;
  for (; size > 1; size = (size + 1) / 2)
    ++steps;
  return steps;
}

static LocalBuffer scratch(const Dims &dims, unsigned bits) {
  return {LocalBuffer::Scratch, {dims, bits, LocalLayout::Aligned}, 0, false};
}

/// Half of the axis, on which a tree works. Its views have strides in elements,
/// of at most 16 bits: narrow elements take room as if they were wide, so that
/// no lane holds more than 65535 of them.
static LocalBuffer treeScratch(Box input, unsigned axis, unsigned bits) {
  if (bits == 32)
    input.size[axis] = (input.size[axis] + 1) / 2;
  return scratch(input.size, 32);
}

// A lane then holds the whole line of one channel, at least one of them.
bool ReduceOp::isTileable() { return true; }

bool ReduceOp::readsStrided(unsigned) { return true; }

InputNeed ReduceOp::inputNeed(unsigned, const Box &result) {
  return {withWholeAxis(result, getInput(), getAxis()), {}};
}

void ReduceOp::localBuffers(const Chip &, const Box &result, ArrayRef<Box>,
                            SmallVectorImpl<LocalBuffer> &buffers) {
  buffers.push_back(treeScratch(withWholeAxis(result, getInput(), getAxis()),
                                getAxis(), elementBits(elementOf(getInput()))));
}

unsigned ReduceOp::commandCount() {
  return 1 + treeSteps(dimsOf(getInput())[getAxis()]);
}

bool ArgReduceOp::isPackedOperand(unsigned operand) { return operand == 1; }

InputNeed ArgReduceOp::inputNeed(unsigned, const Box &result) {
  return {withWholeAxis(result, getInput(), getAxis()), {}};
}

// In the order of emission: codes, hits, half, extreme.
void ArgReduceOp::localBuffers(const Chip &chip, const Box &result,
                               ArrayRef<Box>,
                               SmallVectorImpl<LocalBuffer> &buffers) {
  Box input = withWholeAxis(result, getInput(), getAxis());
  Dims codes = dimsOf(getCodes());
  codes[kAxisC] = chip.lanes;
  buffers.push_back({LocalBuffer::Constant,
                     {codes, 32, LocalLayout::Aligned},
                     0,
                     /*broadcast=*/true});
  buffers.push_back(scratch(input.size, 32));
  buffers.push_back(treeScratch(input, getAxis(), 32));
  buffers.push_back(scratch(result.size, 32));
}

unsigned ArgReduceOp::commandCount() {
  return 6 + 2 * treeSteps(dimsOf(getInput())[getAxis()]);
}

Box CumulativeOp::computedBox(const Box &wanted) {
  return withWholeAxis(wanted, getInput(), getAxis());
}

bool CumulativeOp::readsStrided(unsigned) { return true; }

InputNeed CumulativeOp::inputNeed(unsigned, const Box &result) {
  return {result, {}};
}

void CumulativeOp::localBuffers(const Chip &, const Box &result, ArrayRef<Box>,
                                SmallVectorImpl<LocalBuffer> &buffers) {
  buffers.push_back(scratch(result.size, 32));
}

unsigned CumulativeOp::commandCount() {
  return 2 + 2 * treeSteps(dimsOf(getInput())[getAxis()]);
}
