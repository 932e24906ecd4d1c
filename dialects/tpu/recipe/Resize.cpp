//===- Resize.cpp - recipes of the Resize family --------------------------===//

#include "dialects/tpu/Resize.h"

#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/recipe/AxisReduction.h"
#include "dialects/tpu/recipe/Recipe.h"
#include "runtime/chips/Chip.h"

#include <numeric>

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

//===----------------------------------------------------------------------===//
// Rows in channels
//===----------------------------------------------------------------------===//

Box ChannelsToRowsOp::computedBox(const Box &wanted) {
  Box box = withWholeAxis(wanted, getOutput(), kAxisC);
  int64_t step = stackedRows();
  box.offset[kAxisH] = wanted.offset[kAxisH] / step * step;
  box.size[kAxisH] = wanted.end(kAxisH) - box.offset[kAxisH];
  return box;
}

InputNeed ChannelsToRowsOp::inputNeed(unsigned, const Box &result) {
  Box box = withWholeAxis(result, getInput(), kAxisC);
  int64_t step = stackedRows();
  box.offset[kAxisH] = result.offset[kAxisH] / step;
  box.size[kAxisH] = llvm::divideCeil(result.size[kAxisH], step);
  return {box, {}};
}

bool ChannelsToRowsOp::runsInAnyLane() { return true; }
bool ChannelsToRowsOp::readsFirstLane(unsigned) { return true; }

/// The rows of each channel as one row into the lanes of the result, then
/// apart.
static void buildChannelsToRows(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<ChannelsToRowsOp>(operation);
  Tile result = r.result(), source = r.operand(0);
  int64_t stacked = op.stackedRows(), channels = result.shape[kAxisC],
          width = result.shape[kAxisW], lanes = r.chip.lanes,
          bytes = int64_t(catalog::bytesOf(result.type));
  // Copies from lane to lane begin at whole rows of EUs.
  int64_t unit = std::max<int64_t>(
      1, int64_t(r.chip.euBytes) /
             std::gcd(int64_t(r.chip.euBytes), width * bytes));
  int64_t most = std::max(unit, int64_t(r.chip.maxShape) / width / unit * unit),
          rows = std::min(most, source.shape[kAxisH]);
  Tile room = r.scratch("room", {1, channels, 1, rows * width}, result.type);
  for (int64_t i = 0; i < stacked; ++i) {
    int64_t own = (result.shape[kAxisH] - i + stacked - 1) / stacked;
    for (int64_t first = 0; first < own; first += rows) {
      int64_t count = std::min(rows, own - first);
      for (int64_t done = 0, next; done < channels; done = next) {
        next = std::min({channels, done + lanes - done % lanes,
                         done + lanes - (i * channels + done) % lanes});
        Tile there = r.channels(source, i * channels + done, next - done);
        Tile here = done == 0 && next == channels
                        ? room
                        : r.channels(room, done, next - done);
        here.shape[kAxisW] = count * width;
        r.moveAcrossLanes(here, r.flatRow(there, first * width, count * width));
      }
      Tile moved = room;
      moved.layout = catalog::AlignMode::Free;
      moved.shape = {1, channels, count, width};
      moved.strides[kAxisH] = width;
      r.copy(r.part(result, kAxisH, i + first * stacked, count, stacked),
             moved);
    }
  }
}

ArrayRef<Alternative> ChannelsToRowsOp::recipes() {
  static const Alternative list[] = {{"copies", buildChannelsToRows}};
  return list;
}
