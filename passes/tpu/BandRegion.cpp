//===- BandRegion.cpp - connected ops that compute on bands ---------------===//

#include "passes/tpu/BandRegion.h"

#include "dialects/tpu/Conv.h"
#include "dialects/tpu/GroupPlan.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

bool BandRegion::findScales() {
  // What the strides of networks divide, again and again.
  constexpr int64_t kStart = (int64_t(1) << 20) * 729 * 125 * 49;
  values[ops.front()->getResult(0)].scale = kStart;
  DenseSet<Value> known;
  known.insert(ops.front()->getResult(0));
  bool isChanged = true;
  auto set = [&](Value value, int64_t scale) {
    if (known.insert(value).second) {
      values[value].scale = scale;
      isChanged = true;
      return true;
    }
    return values[value].scale == scale;
  };
  while (isChanged) {
    isChanged = false;
    for (Operation *op : ops) {
      int64_t stride = rowWindowOf(op).stride;
      Value result = op->getResult(0);
      for (unsigned number : imagesOf(op)) {
        Value operand = op->getOperand(number);
        if (known.contains(result)) {
          if (!set(operand, values[result].scale * stride))
            return false;
        } else if (known.contains(operand)) {
          int64_t scale = values[operand].scale;
          if (scale % stride != 0 || !set(result, scale / stride))
            return false;
        }
      }
    }
  }
  int64_t least = kStart;
  for (auto &[value, rowsOfValue] : values)
    least = std::min(least, rowsOfValue.scale);
  for (auto &[value, rowsOfValue] : values) {
    if (rowsOfValue.scale % least != 0)
      return false;
    rowsOfValue.scale /= least;
  }
  return true;
}

/// Which rows of other bands each value must have, from the last op to the
/// first.
void BandRegion::findHalos() {
  for (Operation *op : llvm::reverse(ops)) {
    RowWindow window = rowWindowOf(op);
    BandRows result = values[op->getResult(0)];
    for (unsigned number : imagesOf(op)) {
      BandRows &operand = values[op->getOperand(number)];
      operand.above =
          std::max(operand.above, result.above * window.stride + window.top);
      operand.below =
          std::max(operand.below, result.below * window.stride - window.stride -
                                      window.top + window.extent);
    }
  }
  for (auto &[value, own] : values) {
    above = std::max(above, (own.above + own.scale - 1) / own.scale);
    below = std::max(below, (own.below + own.scale - 1) / own.scale);
  }
}

bool BandRegion::plan() {
  if (!findScales())
    return false;
  // Each band has as many rows of every value, so that these are all its own.
  int64_t most = 0;
  for (auto &[value, own] : values)
    if (isInside(value.getDefiningOp()))
      most =
          std::max(most, (dimsOf(value)[kAxisH] + own.scale - 1) / own.scale);
  rows = (most + count - 1) / count;
  findHalos();
  return llvm::all_of(values, [&](const auto &entry) {
    const auto &[value, own] = entry;
    int64_t size = dimsOf(value)[kAxisH], band = rows * own.scale;
    return (count - 1) * band < size;
  });
}

BandsAttr BandRegion::bandsOf(Value value) const {
  int64_t scale = values.lookup(value).scale;
  return BandsAttr::get(value.getContext(), count, rows * scale, above * scale,
                        dimsOf(value)[kAxisH]);
}

/// The bands of a value that the region makes or cuts.
Value BandRegion::inBands(Value image, OpBuilder &builder) {
  Value &bands = bandsOfImage[image];
  if (bands)
    return bands;
  // As early as can be: it lies between groups.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(image);
  auto cut = builder.create<ToBandsOp>(image.getLoc(),
                                       bandsType(image, count, rowsOf(image)),
                                       image, bandsOf(image));
  made.push_back(cut);
  return bands = cut;
}

/// The bands of `image` with zeros where `reader` reads beyond the image.
Value BandRegion::cleared(Value image, Operation *reader, OpBuilder &builder) {
  Value bands = inBands(image, builder);
  RowWindow window = rowWindowOf(reader);
  int64_t top = window.top,
          bottom = window.below(dimsOf(image)[kAxisH],
                                dimsOf(reader->getResult(0))[kAxisH]);
  if (top == 0 && bottom == 0)
    return bands;
  for (Operation *other : bands.getUsers())
    if (auto clear = dyn_cast<ClearRowsOp>(other);
        clear && int64_t(clear.getTop()) >= top &&
        int64_t(clear.getBottom()) >= bottom)
      return clear;
  auto clear = builder.create<ClearRowsOp>(reader->getLoc(), bands.getType(),
                                           bands, bandsOf(image), top, bottom);
  made.push_back(clear);
  return clear;
}

/// Cycles of `op`, made for `image`, on the rows that are needed.
std::optional<int64_t> BandRegion::cyclesOfMade(Operation *op,
                                                Value image) const {
  BandRows own = values.lookup(image);
  return bandCyclesOf(op, chip, above * own.scale - own.above,
                      own.above + rows * own.scale + own.below);
}

std::optional<int64_t> BandRegion::build(Purpose purpose) {
  int64_t cycles = 0;
  for (Operation *op : ops) {
    OpBuilder builder(op);
    SmallVector<Value> images;
    for (unsigned number : imagesOf(op))
      images.push_back(cleared(op->getOperand(number), op, builder));
    Value result = op->getResult(0);
    Operation *clone =
        cloneForBands(builder, op, images,
                      bandsType(result, count, rowsOf(result)), count, purpose);
    if (!clone)
      return std::nullopt;
    clone->setDiscardableAttr(kBandsAttr, bandsOf(result));
    made.push_back(clone);
    bandsOfImage[result] = clone->getResult(0);
    std::optional<int64_t> own = cyclesOfMade(clone, result);
    if (!own)
      return std::nullopt;
    cycles += *own;
  }
  cycles = std::max(cycles, movingCycles(/*inBands=*/true));
  for (auto &[image, own] : values) {
    bool isMade = isInside(image.getDefiningOp());
    if (!isMade && !isLoaded(image))
      cycles += costOfCut(image, chip, count);
    if (isMade && isReadOutside(image))
      cycles += costOfJoin(image, chip, count);
  }
  return cycles;
}

int64_t BandRegion::movingCycles(bool inBands) const {
  int64_t cycles = 0;
  for (auto &[image, own] : values) {
    bool isMade = isInside(image.getDefiningOp());
    if (!isMade && isLoaded(image)) {
      int64_t load = loadCyclesOf(image, chip), band = rows * own.scale;
      cycles += inBands ? load * (own.above + band + own.below) / band : load;
    }
    if (isMade && isReadOutside(image) && isOnlyStored(image))
      cycles += storeCyclesOf(image, chip);
  }
  return cycles;
}

void BandRegion::erase() {
  for (Operation *op : llvm::reverse(made))
    eraseWithWeights(op);
  made.clear();
  bandsOfImage.clear();
}

void BandRegion::replace() {
  for (Operation *op : ops) {
    Value image = op->getResult(0);
    if (!isReadOutside(image))
      continue;
    // As late as can be: it lies between groups.
    Operation *first = nullptr;
    for (Operation *user : image.getUsers())
      if (!isInside(user) && (!first || user->isBeforeInBlock(first)))
        first = user;
    OpBuilder builder(first);
    auto joined = builder.create<FromBandsOp>(
        image.getLoc(), image.getType(), bandsOfImage[image], bandsOf(image));
    image.replaceUsesWithIf(joined, [&](OpOperand &use) {
      return !isInside(use.getOwner()) && use.getOwner() != joined;
    });
  }
  for (Operation *op : llvm::reverse(ops))
    eraseWithWeights(op);
}
