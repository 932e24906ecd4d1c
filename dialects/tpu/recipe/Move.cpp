//===- Move.cpp - recipes of the Move family ------------------------------===//

#include "dialects/tpu/Move.h"

#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/ModuleChip.h"
#include "dialects/tpu/recipe/AxisReduction.h"
#include "dialects/tpu/recipe/Recipe.h"
#include "runtime/chips/Chip.h"

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

InputNeed RepeatChannelOp::inputNeed(unsigned, const Box &result) {
  Box box = result;
  box.offset[kAxisC] = 0;
  box.size[kAxisC] = 1;
  return {box, {}};
}

bool RepeatChannelOp::readsAnyLane(unsigned) { return true; }

static void buildRepeatChannel(Operation *, RecipeBuilder &r) {
  r.repeatChannel(r.result(), r.operand(0));
}

ArrayRef<Alternative> RepeatChannelOp::recipes() {
  static const Alternative list[] = {{"broadcast", buildRepeatChannel}};
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

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// What [offset, offset + size) of an axis, behind `before` of padding, reads
/// of `input` values, and how much of it is padding at either end. A piece that
/// is padding alone reads a value for nothing.
static WindowRange paddedRange(int64_t offset, int64_t size, int64_t before,
                               int64_t input) {
  int64_t first = offset - before, end = first + size;
  WindowRange range;
  range.padBegin = std::clamp<int64_t>(-first, 0, size);
  range.padEnd = std::clamp<int64_t>(end - input, 0, size - range.padBegin);
  range.offset = std::clamp<int64_t>(first, 0, input - 1);
  range.size = std::max<int64_t>(1, size - range.padBegin - range.padEnd);
  return range;
}

InputNeed PadOp::inputNeed(unsigned, const Box &result) {
  Dims from = dimsOf(getInput());
  auto rangeOf = [&](unsigned axis, int64_t before) {
    return paddedRange(result.offset[axis], result.size[axis], before,
                       from[axis]);
  };
  WindowRange h = rangeOf(kAxisH, getPads()[0]),
              w = rangeOf(kAxisW, getPads()[1]);
  InputNeed need{result, {h.padBegin, h.padEnd, w.padBegin, w.padEnd}};
  need.box.offset[kAxisH] = h.offset;
  need.box.size[kAxisH] = h.size;
  need.box.offset[kAxisW] = w.offset;
  need.box.size[kAxisW] = w.size;
  return need;
}

bool PadOp::runsInAnyLane() { return true; }

/// The borders are filled, what they enclose is copied.
/// The elements of `value` as bits, which a fill takes whatever they mean.
static DataType bitsOf(Value value) {
  int64_t bits = elementBits(elementOf(value));
  if (bits == 8)
    return DataType::Uint8;
  return bits == 16 ? DataType::Uint16 : DataType::Uint32;
}

static void buildPad(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<PadOp>(operation);
  Pads around = op.inputNeed(0, r.box).pads;
  Tile result = r.result();
  auto fill = [&](const Tile &part) {
    r.copy(RecipeBuilder::as(part, bitsOf(op.getOutput())),
           int64_t(op.getFill()));
  };
  // Border by border; what is left is `inner`.
  Tile inner = result;
  auto fillEnds = [&](unsigned axis, int64_t before, int64_t after) {
    int64_t size = inner.shape[axis] - before - after;
    if (before > 0)
      fill(r.part(inner, axis, 0, before));
    if (after > 0)
      fill(r.part(inner, axis, before + size, after));
    if (size > 0)
      inner = r.part(inner, axis, before, size);
    return size > 0;
  };
  if (fillEnds(kAxisH, around.top, around.bottom) &&
      fillEnds(kAxisW, around.left, around.right))
    r.copy(inner, r.operand(0));
}

ArrayRef<Alternative> PadOp::recipes() {
  static const Alternative list[] = {{"copy", buildPad}};
  return list;
}

// Nothing is computed but the zeros: the result lies in the operand.

std::optional<int64_t> ClearRowsOp::channelInResult(unsigned) { return 0; }

Box ClearRowsOp::computedBox(const Box &wanted) {
  return withWholeAxis(wanted, getOutput(), kAxisC);
}

InputNeed ClearRowsOp::inputNeed(unsigned, const Box &result) {
  return {result, {}};
}

bool ClearRowsOp::dependsOnRows(const Box &result) {
  return !clearedBoxes(result).empty();
}

bool ClearRowsOp::runsInAnyLane() { return true; }

static void buildClearRows(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<ClearRowsOp>(operation);
  Tile result = RecipeBuilder::as(r.result(), bitsOf(op.getOutput()));
  int64_t zero = zeroPointOf(elementOf(op.getOutput())) & 0xff,
          lanes = r.chip.lanes;
  for (const Box &box : op.clearedBoxes(r.box)) {
    Tile rows =
        r.part(result, kAxisH, box.offset[kAxisH] - r.box.offset[kAxisH],
               box.size[kAxisH]);
    // A round over the lanes at a time.
    int64_t begin = box.offset[kAxisC] - r.box.offset[kAxisC],
            end = begin + box.size[kAxisC];
    while (begin < end) {
      int64_t count = std::min(end, (begin / lanes + 1) * lanes) - begin;
      r.copy(r.channels(rows, begin, count), zero);
      begin += count;
    }
  }
}

ArrayRef<Alternative> ClearRowsOp::recipes() {
  static const Alternative list[] = {{"fill", buildClearRows}};
  return list;
}

// Where there are as many rows as lanes, a row is what a lane has.
bool JoinRoundsOp::isTileable() {
  const Chip *chip = findChipOf(*this);
  return chip && dimsOf(getOutput())[kAxisC] == int64_t(chip->lanes);
}

Box JoinRoundsOp::computedBox(const Box &) {
  return Box::whole(dimsOf(getOutput()));
}
InputNeed JoinRoundsOp::inputNeed(unsigned, const Box &) {
  return {Box::whole(dimsOf(getInput())), {}};
}
bool JoinRoundsOp::readsStrided(unsigned) { return true; }

static void buildJoinRounds(Operation *, RecipeBuilder &r) {
  Tile result = r.result(), rows = r.operand(0);
  int64_t step = rows.strides[kAxisC];
  rows.layout = catalog::AlignMode::Free;
  rows.shape = result.shape;
  rows.strides[kAxisW] = step;
  rows.strides[kAxisH] = rows.strides[kAxisC] = step * result.shape[kAxisW];
  r.copy(result, rows);
}

ArrayRef<Alternative> JoinRoundsOp::recipes() {
  static const Alternative list[] = {{"copy", buildJoinRounds}};
  return list;
}

// Bands of a whole image from lane to lane: any row of the image lies in some
// band, and any of a band somewhere in the image.

Box ToBandsOp::computedBox(const Box &) {
  return Box::whole(dimsOf(getOutput()));
}
InputNeed ToBandsOp::inputNeed(unsigned, const Box &) {
  return {Box::whole(dimsOf(getInput())), {}};
}
bool ToBandsOp::readsFirstLane(unsigned) { return true; }

Box FromBandsOp::computedBox(const Box &) {
  return Box::whole(dimsOf(getOutput()));
}
InputNeed FromBandsOp::inputNeed(unsigned, const Box &) {
  return {Box::whole(dimsOf(getInput())), {}};
}
bool FromBandsOp::readsFirstLane(unsigned) { return true; }

/// dst = src of equal shapes, whose lanes differ. `room` is as long as both, in
/// the lanes of `dst`. Copies from lane to lane begin at whole rows of EUs;
/// what does not is moved on in its lanes.
static void copyAcrossLanes(RecipeBuilder &r, const Tile &dst, const Tile &src,
                            const Tile &room) {
  auto bytes = int64_t(catalog::bytesOf(src.type));
  int64_t step = int64_t(r.chip.euBytes) / bytes,
          before = src.byte / bytes % step,
          count = src.shape[kAxisH] * src.shape[kAxisW];
  if (before == 0 && dst.byte % int64_t(r.chip.euBytes) == 0) {
    r.moveAcrossLanes(r.flatRow(dst, 0, count), r.flatRow(src, 0, count));
    return;
  }
  r.moveAcrossLanes(r.flatRow(room, 0, before + count),
                    r.flatRow(src, -before, before + count));
  Tile moved = r.as(r.flatRow(room, before, count), dst.type, dst.shape);
  moved.layout = catalog::AlignMode::Free;
  moved.lane = room.lane;
  r.copy(dst, moved);
}

/// Copies the rows of each band between a tile of bands and one of the image.
static void copyBands(RecipeBuilder &r, BandsAttr bands, const Tile &inBands,
                      const Tile &image, bool toBands) {
  int64_t channels = image.shape[kAxisC], lanes = r.chip.lanes;
  Dims whole{1, inBands.shape[kAxisC], inBands.shape[kAxisH],
             inBands.shape[kAxisW]};
  const Tile &result = toBands ? inBands : image;
  auto slack = int64_t(r.chip.euBytes / catalog::bytesOf(result.type));
  // As many rows at a time as one row of a command holds.
  int64_t most = std::max<int64_t>(
      1, std::min(whole[kAxisH],
                  (int64_t(r.chip.maxShape) - slack) / whole[kAxisW]));
  Tile room = r.scratch("room",
                        {1, std::min(lanes, result.shape[kAxisC]), 1,
                         most * whole[kAxisW] + slack},
                        result.type);
  for (const BandPart &part : bandPartsOf(bands, channels, Box::whole(whole),
                                          /*onlyOwn=*/!toBands)) {
    for (int64_t row = 0; row < part.inBands.size[kAxisH]; row += most) {
      int64_t rows = std::min(most, part.inBands.size[kAxisH] - row);
      Tile there =
               r.part(inBands, kAxisH, part.inBands.offset[kAxisH] + row, rows),
           here =
               r.part(image, kAxisH, part.inImage.offset[kAxisH] + row, rows);
      for (int64_t done = 0; done < channels;) { // in one round on both sides
        int64_t first = part.inBands.offset[kAxisC] + done,
                count = std::min({channels - done, lanes - first % lanes,
                                  lanes - done % lanes});
        Tile ofBands = r.channels(there, first, count),
             ofImage = r.channels(here, done, count);
        copyAcrossLanes(
            r, toBands ? ofBands : ofImage, toBands ? ofImage : ofBands,
            r.channels(room, (toBands ? first : done) % lanes, count));
        done += count;
      }
    }
  }
}

static void buildToBands(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<ToBandsOp>(operation);
  copyBands(r, op.getBands(), r.result(), r.operand(0), /*toBands=*/true);
}

ArrayRef<Alternative> ToBandsOp::recipes() {
  static const Alternative list[] = {{"copy", buildToBands}};
  return list;
}

static void buildFromBands(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<FromBandsOp>(operation);
  copyBands(r, op.getBands(), r.operand(0), r.result(), /*toBands=*/false);
}

ArrayRef<Alternative> FromBandsOp::recipes() {
  static const Alternative list[] = {{"copy", buildFromBands}};
  return list;
}
