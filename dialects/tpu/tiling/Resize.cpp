//===- Resize.cpp - tiling of the Resize family ---------------------------===//

#include "dialects/tpu/Resize.h"

#include "dialects/tpu/GroupPlan.h"

using namespace weft;
using namespace weft::tpu;

// Whole pixels of the inputs: h and w begin and end on multiples of the factor.
Box InterleaveOp::computedBox(const Box &wanted) {
  Box box = wanted;
  for (unsigned axis : {kAxisH, kAxisW}) {
    int64_t factor = getFactors()[axis - kAxisH];
    int64_t end = (wanted.end(axis) + factor - 1) / factor * factor;
    box.offset[axis] = wanted.offset[axis] / factor * factor;
    box.size[axis] = end - box.offset[axis];
  }
  return box;
}

InputNeed InterleaveOp::inputNeed(unsigned, const Box &result) {
  Box box = result;
  for (unsigned axis : {kAxisH, kAxisW}) {
    int64_t factor = getFactors()[axis - kAxisH];
    box.offset[axis] = result.offset[axis] / factor;
    box.size[axis] = result.size[axis] / factor;
  }
  return {box, {}};
}

bool InterleaveOp::readsStrided(unsigned) { return true; }

unsigned InterleaveOp::commandCount() {
  return static_cast<unsigned>(getFactors()[0] * getFactors()[1]);
}
