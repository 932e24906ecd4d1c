//===- Move.cpp - recipes of the Move family ------------------------------===//

#include "dialects/tpu/Move.h"

#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/recipe/AxisReduction.h"
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

bool ReshapeOp::runsInAnyLane() { return true; }

ArrayRef<Alternative> ReshapeOp::recipes() {
  static const Alternative list[] = {{"copy", buildReshape}};
  return list;
}

bool MoveLanesOp::runsInAnyLane() { return true; }
bool MoveLanesOp::readsAnyLane(unsigned) { return true; }

/// A round over the lanes at a time: the command costs its channels times their
/// rounds.
static void buildMoveLanes(Operation *, RecipeBuilder &r) {
  Tile result = r.result(), source = r.operand(0);
  int64_t channels = result.shape[kAxisC], lanes = r.chip.lanes;
  if (result.shape[kAxisN] > 1) { // rounds of two images are not neighbours
    r.call("tiu.move_cross_lane", {{"dst", result}, {"src", source}});
    return;
  }
  for (int64_t begin = 0; begin < channels; begin += lanes) {
    int64_t count = std::min(lanes, channels - begin);
    r.call("tiu.move_cross_lane", {{"dst", r.channels(result, begin, count)},
                                   {"src", r.channels(source, begin, count)}});
  }
}

ArrayRef<Alternative> MoveLanesOp::recipes() {
  static const Alternative list[] = {{"copy", buildMoveLanes}};
  return list;
}

//===----------------------------------------------------------------------===//
// Joining and cutting
//===----------------------------------------------------------------------===//

// Along channels an address does, along h and w a copy in the lanes.

bool ConcatOp::isAddress() { return getAxis() == kAxisC; }

bool ConcatOp::isTileable() { return getAxis() != kAxisN; }

Box ConcatOp::computedBox(const Box &wanted) {
  return withWholeAxis(wanted, getOutput(), getAxis());
}

InputNeed ConcatOp::inputNeed(unsigned operand, const Box &result) {
  return {withWholeAxis(result, getInputs()[operand], getAxis()), {}};
}

bool ConcatOp::readsStrided(unsigned) { return true; }
bool ConcatOp::runsInAnyLane() { return true; }

/// Where operand `number` begins along the axis.
static int64_t beginOf(ConcatOp op, unsigned number) {
  int64_t begin = 0;
  for (Value before : op.getInputs().take_front(number))
    begin += dimsOf(before)[op.getAxis()];
  return begin;
}

std::optional<int64_t> ConcatOp::channelInResult(unsigned operand) {
  return isAddress() ? std::optional(beginOf(*this, operand)) : std::nullopt;
}

static void buildConcat(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<ConcatOp>(operation);
  if (op.isAddress())
    return;
  unsigned axis = op.getAxis();
  for (unsigned i = 0; i < op.getInputs().size(); ++i) {
    Tile operand = r.operand(i);
    r.copy(r.part(r.result(), axis, beginOf(op, i), operand.shape[axis]),
           operand);
  }
}

ArrayRef<Alternative> ConcatOp::recipes() {
  static const Alternative list[] = {{"copy", buildConcat}};
  return list;
}

bool SliceOp::isAddress() {
  Dims from = dimsOf(getInput()), to = dimsOf(getOutput());
  to[kAxisC] = from[kAxisC];
  return from == to && getSteps()[kAxisC] == 1;
}

bool SliceOp::isTileable() {
  Dims from = dimsOf(getInput()), to = dimsOf(getOutput());
  return isAddress() ||
         (from[kAxisN] == to[kAxisN] && from[kAxisC] == to[kAxisC]);
}

Box SliceOp::computedBox(const Box &wanted) {
  return isAddress() ? withWholeAxis(wanted, getOutput(), kAxisC) : wanted;
}

InputNeed SliceOp::inputNeed(unsigned, const Box &result) {
  if (isAddress())
    return {withWholeAxis(result, getInput(), kAxisC), {}};
  Box need = result;
  for (unsigned axis : {kAxisH, kAxisW}) {
    int64_t step = getSteps()[axis];
    need.offset[axis] = getOffsets()[axis] + result.offset[axis] * step;
    need.size[axis] = (result.size[axis] - 1) * step + 1;
  }
  return {need, {}};
}

bool SliceOp::readsStrided(unsigned) { return true; }
bool SliceOp::runsInAnyLane() { return true; }

std::optional<int64_t> SliceOp::channelInResult(unsigned) {
  return isAddress() ? std::optional(-getOffsets()[kAxisC]) : std::nullopt;
}

static void buildSlice(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<SliceOp>(operation);
  if (op.isAddress())
    return;
  Tile result = r.result(), picked = r.operand(0);
  picked.layout = catalog::AlignMode::Free;
  picked.shape = result.shape;
  for (unsigned axis : {kAxisH, kAxisW})
    picked.strides[axis] *= op.getSteps()[axis];
  r.copy(result, picked);
}

ArrayRef<Alternative> SliceOp::recipes() {
  static const Alternative list[] = {{"copy", buildSlice}};
  return list;
}
