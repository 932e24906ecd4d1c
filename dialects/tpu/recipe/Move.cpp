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

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// All channels of `value` in the rows and columns of `piece`.
static Box allChannels(Value value, Box piece) {
  piece.offset[kAxisC] = 0;
  piece.size[kAxisC] = dimsOf(value)[kAxisC];
  return piece;
}

/// In local memory operands and result share a room: nothing is done.
static void buildAddress(Operation *, RecipeBuilder &) {}

static const Alternative kAddress[] = {{"address", buildAddress}};

// A batch would need room behind each image of an operand.
bool ConcatOp::isTileable() {
  return getAxis() == kAxisC && dimsOf(getOutput())[kAxisN] == 1;
}

Box ConcatOp::computedBox(const Box &wanted) {
  return allChannels(getOutput(), wanted);
}

InputNeed ConcatOp::inputNeed(unsigned operand, const Box &result) {
  return {allChannels(getInputs()[operand], result), {}};
}

std::optional<int64_t> ConcatOp::channelInResult(unsigned operand) {
  int64_t channel = 0;
  for (Value before : getInputs().take_front(operand))
    channel += dimsOf(before)[kAxisC];
  return channel;
}

ArrayRef<Alternative> ConcatOp::recipes() { return kAddress; }

bool SliceOp::isTileable() {
  Dims from = dimsOf(getInput()), to = dimsOf(getOutput());
  to[kAxisC] = from[kAxisC];
  return from == to && from[kAxisN] == 1 && getSteps()[kAxisC] == 1;
}

Box SliceOp::computedBox(const Box &wanted) {
  return allChannels(getOutput(), wanted);
}

InputNeed SliceOp::inputNeed(unsigned, const Box &result) {
  return {allChannels(getInput(), result), {}};
}

std::optional<int64_t> SliceOp::channelInResult(unsigned) {
  return -getOffsets()[kAxisC];
}

ArrayRef<Alternative> SliceOp::recipes() { return kAddress; }
