//===- Resize.cpp - recipes of the Resize family --------------------------===//

#include "dialects/tpu/Resize.h"

#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/recipe/Recipe.h"

using namespace mlir;
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

/// Every fh-th row and fw-th column of the result is one input: a copy with
/// strides for each.
static void buildInterleave(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<InterleaveOp>(operation);
  int64_t high = op.getFactors()[0], wide = op.getFactors()[1];
  Tile result = r.result();
  for (int64_t y = 0; y < high; ++y)
    for (int64_t x = 0; x < wide; ++x)
      r.copy(r.every(r.every(result, kAxisH, y, high), kAxisW, x, wide),
             r.operand(op.getInputs().size() == 1 ? 0 : y * wide + x));
}

bool InterleaveOp::runsInAnyLane() { return true; }

ArrayRef<Alternative> InterleaveOp::recipes() {
  static const Alternative list[] = {{"copies", buildInterleave}};
  return list;
}
