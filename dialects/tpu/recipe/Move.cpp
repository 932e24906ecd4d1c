//===- Move.cpp - recipes of the Move family ------------------------------===//

#include "dialects/tpu/Move.h"

#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/recipe/Recipe.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

// h and w of a channel are contiguous in a lane, so regrouping them is free;
// anything else crosses lanes.
bool ReshapeOp::isTileable() {
  Dims from = dimsOf(getInput()), to = dimsOf(getOutput());
  return from[kAxisN] == to[kAxisN] && from[kAxisC] == to[kAxisC];
}

Box ReshapeOp::computedBox(const Box &wanted) {
  Box box = Box::whole(dimsOf(getOutput()));
  for (unsigned axis : {kAxisN, kAxisC}) {
    box.offset[axis] = wanted.offset[axis];
    box.size[axis] = wanted.size[axis];
  }
  return box;
}

InputNeed ReshapeOp::inputNeed(unsigned, const Box &result) {
  Box box = Box::whole(dimsOf(getInput()));
  for (unsigned axis : {kAxisN, kAxisC}) {
    box.offset[axis] = result.offset[axis];
    box.size[axis] = result.size[axis];
  }
  return {box, {}};
}

/// Same n and c: h and w of a channel lie in one piece, only their names
/// change.
static void buildReshape(Operation *, RecipeBuilder &r) {
  Tile result = r.result(), source = r.operand(0);
  r.copy(result, r.as(source, source.type, result.shape));
}

ArrayRef<Alternative> ReshapeOp::recipes() {
  static const Alternative list[] = {{"copy", buildReshape}};
  return list;
}
