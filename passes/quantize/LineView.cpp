//===- LineView.cpp - 4-D views with whole lines in a lane ----------------===//

#include "passes/quantize/LineView.h"

#include "dialects/tpu/Box.h"
#include "runtime/chips/Chip.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// Bytes of a lane that lines may take; the rest, a bank, is for constants.
static int64_t laneRoom(const Chip &chip) {
  return chip.laneBytes - chip.laneBytes / chip.banks;
}

/// Elements of f32 in a row of a lane, which each plane along n starts anew.
static int64_t rowElements(const Chip &chip) { return chip.euBytes / 4; }

Around::Around(ArrayRef<int64_t> shape, int64_t axis) : size(shape[axis]) {
  for (int64_t before : shape.take_front(axis))
    outer *= before;
  for (int64_t after : shape.drop_front(axis + 1))
    inner *= after;
}

/// `count` as n x c with both in the range of a command and n as small as
/// possible. std::nullopt if there are no such factors.
static std::optional<std::pair<int64_t, int64_t>> splitOuter(int64_t count) {
  for (int64_t n = (count + kLargestAxis - 1) / kLargestAxis; n <= kLargestAxis;
       ++n)
    if (count % n == 0 && count / n <= kLargestAxis)
      return std::pair(n, count / n);
  return std::nullopt;
}

/// About what transfers of `shape` take at `bytesPerCycle`: a plane of h x w is
/// a run, and a short one costs as much as the shortest at full rate.
static int64_t transferCycles(ArrayRef<int64_t> shape, int64_t bytesPerCycle,
                              const Chip &chip) {
  int64_t run = std::max<int64_t>(shape[tpu::kAxisH] * shape[tpu::kAxisW] * 4,
                                  chip.rates.shortestDmaRun);
  return shape[tpu::kAxisN] * shape[tpu::kAxisC] * run / bytesPerCycle;
}

/// Of the operand and of the result.
static int64_t dmaCycles(const LineView &view, const LineCost &cost,
                         const Chip &chip) {
  SmallVector<int64_t, 4> result = view.shape;
  if (!cost.givesLines)
    result[view.axis] = 1;
  return transferCycles(view.shape, chip.rates.loadBytes, chip) +
         transferCycles(result, chip.rates.storeBytes, chip);
}

static int64_t tiuCycles(const LineView &view, const LineCost &cost,
                         const Chip &chip) {
  ArrayRef<int64_t> shape = view.shape;
  return shape[tpu::kAxisN] * llvm::divideCeil(shape[tpu::kAxisC], chip.lanes) *
         llvm::divideCeil(shape[tpu::kAxisH] * shape[tpu::kAxisW],
                          rowElements(chip)) *
         cost.rowCycles;
}

static int64_t cyclesOf(const LineView &view, const LineCost &cost,
                        const Chip &chip) {
  return dmaCycles(view, cost, chip) + tiuCycles(view, cost, chip);
}

/// `inner` as c x w, where each of `size` planes is moved and computed with:
/// more lanes compute less each and are moved in shorter runs.
static std::optional<std::pair<int64_t, int64_t>>
splitInner(const Around &around, const LineCost &cost, const Chip &chip) {
  std::optional<std::pair<int64_t, int64_t>> best;
  int64_t least = 0, room = laneRoom(chip) / cost.bytesPerElement;
  for (int64_t c = 1; c <= std::min(around.inner, kLargestAxis); ++c) {
    int64_t w = around.inner / c, rows = llvm::divideCeil(w, rowElements(chip));
    if (around.inner % c || w > kLargestAxis ||
        around.size * rows * rowElements(chip) > room)
      continue;
    int64_t cycles =
        cyclesOf({{around.size, c, 1, w}, tpu::kAxisN}, cost, chip);
    if (!best || cycles < least) {
      best = std::pair(c, w);
      least = cycles;
    }
  }
  return best;
}

/// `outer` lines as c x h, a lane with several short ones behind each other, if
/// that costs at most four fifths of n x c with one in each lane.
static std::optional<std::pair<int64_t, int64_t>>
stackLines(int64_t outer, int64_t size, const LineCost &cost,
           const Chip &chip) {
  std::optional<std::pair<int64_t, int64_t>> best;
  int64_t least =
      cyclesOf({{1, outer, 1, size}, tpu::kAxisW}, cost, chip) / 5 * 4;
  for (int64_t c = 1; c <= std::min(outer / 2, kLargestAxis); ++c) {
    if (outer % c || outer / c > kLargestAxis)
      continue;
    int64_t cycles =
        cyclesOf({{1, c, outer / c, size}, tpu::kAxisW}, cost, chip);
    if (cycles >= least)
      continue;
    best = std::pair(c, outer / c);
    least = cycles;
  }
  return best;
}

std::optional<LineView> weft::quantize::lineView(const Around &around,
                                                 const LineCost &cost,
                                                 const Chip &chip) {
  auto [outer, size, inner] = around;
  int64_t room = laneRoom(chip) / cost.bytesPerElement;
  if (outer == 1 && inner > 1)
    if (auto split = splitInner(around, cost, chip))
      return LineView{{size, split->first, 1, split->second}, tpu::kAxisN};
  auto split = splitOuter(outer);
  if (!split || size > room || inner > kLargestAxis)
    return std::nullopt;
  if (inner == 1) {
    if (auto stack = stackLines(outer, size, cost, chip))
      return LineView{{1, stack->first, stack->second, size}, tpu::kAxisW};
    return LineView{{split->first, split->second, 1, size}, tpu::kAxisW};
  }
  return LineView{{split->first, split->second, size, inner}, tpu::kAxisH};
}

int64_t weft::quantize::roundTripCycles(int64_t bytes, const Chip &chip) {
  return bytes / chip.rates.storeBytes + bytes / chip.rates.loadBytes;
}

/// Whether `standard` fills so many lanes that `other`, if there is one, costs
/// more: values are stored and loaded again to lie there.
static bool keepsStandard(const LineView &standard,
                          const std::optional<LineView> &other,
                          const LineCost &cost, const Chip &chip) {
  if (!other)
    return true;
  int64_t elements = 1;
  for (int64_t size : standard.shape)
    elements *= size;
  return tiuCycles(standard, cost, chip) <=
         tiuCycles(*other, cost, chip) + roundTripCycles(elements * 4, chip);
}

std::optional<LineView> weft::quantize::lineViewOf(ArrayRef<int64_t> shape,
                                                   int64_t axis,
                                                   const LineCost &cost,
                                                   const Chip &chip) {
  Around around(shape, axis);
  int64_t rank = shape.size(), room = laneRoom(chip) / cost.bytesPerElement;
  if (rank == 3 || rank == 4) {
    int64_t folded = foldAxis(axis, rank);
    auto standard = foldShape(shape);
    bool inRange = llvm::all_of(
        standard, [](int64_t size) { return size <= kLargestAxis; });
    if (folded >= tpu::kAxisH && inRange && around.size <= room &&
        (standard[tpu::kAxisC] == around.outer ||
         keepsStandard({standard, folded}, lineView(around, cost, chip), cost,
                       chip)))
      return LineView{standard, folded};
    if (around.size == 1 && inRange && standard[tpu::kAxisN] == 1)
      return LineView{standard, tpu::kAxisN};
  }
  return lineView(around, cost, chip);
}

/// About what slices take whose transfers run beside the TIU: one of them all
/// alone, the others in the longer of both.
static int64_t overlapped(const LineView &view, int64_t dma, int64_t tiu,
                          const Chip &chip) {
  ArrayRef<int64_t> shape = view.shape;
  int64_t slices = llvm::divideCeil(shape[tpu::kAxisC], chip.lanes);
  for (unsigned axis : {tpu::kAxisN, tpu::kAxisH})
    if (axis != view.axis)
      slices *= shape[axis];
  return slices > 1 ? std::max(dma, tiu) + (dma + tiu) / slices : dma + tiu;
}

namespace {
/// A form and about its cycles.
struct PricedForm {
  LineForm form;
  int64_t cycles;
};
} // namespace

static void takeCheaper(std::optional<PricedForm> &best, PricedForm other) {
  if (!best || other.cycles < best->cycles)
    best = std::move(other);
}

/// Lines as n, c, 1, w: a line an image, in c equal pieces over the lanes.
static void priceOverLanes(std::optional<PricedForm> &best,
                           const Around &around, const LineCost &cost,
                           const Chip &chip) {
  // Of each image the TIU turns numbers of the lanes into a row, combines and
  // hands them out again, twice: what is left of 179 cycles for 1x1000 in f16
  // (16x1000: 2,864), of which the 2 rows of a lane take 42.
  constexpr int64_t kAcrossCycles = 130;
  auto [outer, size, inner] = around;
  int64_t room = laneRoom(chip) / cost.bytesPerElement;
  if (inner > 1 || outer > kLargestAxis)
    return;
  for (int64_t c = 2; c <= std::min<int64_t>(size, chip.lanes); ++c) {
    if (size % c || size / c > room)
      continue;
    LineView view{{outer, c, 1, size / c}, tpu::kAxisW};
    int64_t dma = cost.givesLines
                      ? dmaCycles(view, cost, chip)
                      : transferCycles(view.shape, chip.rates.loadBytes, chip),
            tiu = tiuCycles(view, cost, chip) + outer * kAcrossCycles;
    takeCheaper(best, {{view, /*overLanes=*/true, /*isTurned=*/false},
                       overlapped(view, dma, tiu, chip)});
  }
}

/// Whether another op makes `input` in this view.
static bool isMadeIn(const LineView &view, Value input) {
  auto shape = cast<RankedTensorType>(input.getType()).getShape();
  return input.getDefiningOp() &&
         ArrayRef(view.shape) == ArrayRef(foldShape(shape));
}

std::optional<LineForm> weft::quantize::lineFormOf(Value input, int64_t axis,
                                                   const LineCost &cost,
                                                   const Chip &chip) {
  auto shape = cast<RankedTensorType>(input.getType()).getShape();
  Around around(shape, axis);
  std::optional<PricedForm> best;
  auto addView = [&](const LineView &view, int64_t dma) {
    takeCheaper(best,
                {{view, false, false},
                 overlapped(view, dma, tiuCycles(view, cost, chip), chip)});
  };
  if (auto view = lineViewOf(shape, axis, cost, chip))
    addView(*view, isMadeIn(*view, input) ? 0 : dmaCycles(*view, cost, chip));
  priceOverLanes(best, around, cost, chip);
  if (around.inner == 1 || std::max(around.size, around.inner) > kLargestAxis ||
      around.outer > kLargestAxis)
    return best ? std::optional(best->form) : std::nullopt;
  // Turned, on both sides if the result has lines: a transposed transfer takes
  // 4/3 of the cycles (docs/cycles.md).
  std::optional<PricedForm> asFound = std::exchange(best, std::nullopt);
  Around lines(around.outer * around.inner, around.size, 1);
  if (auto view = lineView(lines, cost, chip))
    addView(*view, dmaCycles(*view, cost, chip));
  priceOverLanes(best, lines, cost, chip);
  if (best) {
    int64_t planes[] = {around.outer, around.size, 1, around.inner};
    int64_t once = (transferCycles(planes, chip.rates.loadBytes, chip) +
                    transferCycles(planes, chip.rates.storeBytes, chip)) /
                   3 * 4;
    best->form.isTurned = true;
    best->cycles += cost.givesLines ? 2 * once : once;
  }
  // Prices of forms are rough: only a gain of a fifth counts.
  bool isBetter = best && (!asFound || best->cycles < asFound->cycles / 5 * 4);
  if (isBetter)
    return best->form;
  return asFound ? std::optional(asFound->form) : std::nullopt;
}

/// Exchanges the second and the last axis.
static constexpr int64_t kTurn[] = {0, 3, 2, 1};

Answer<Value> weft::quantize::linesOf(Operation *op, Value input, int64_t axis,
                                      const LineForm &form, Type element,
                                      Lowering &lowering) {
  if (!form.isTurned)
    return lowering.value(input, element, form.view.shape, op);
  auto [outer, size, inner] =
      Around(cast<RankedTensorType>(input.getType()).getShape(), axis);
  Answer<Value> planes =
      lowering.value(input, element, {outer, size, 1, inner}, op);
  if (!planes)
    return planes;
  return lowering.reshaped(op->getLoc(),
                           lowering.permuted(op->getLoc(), *planes, kTurn),
                           form.view.shape);
}

Value weft::quantize::turnedBack(Value output, int64_t axis,
                                 const LineForm &form, Value result,
                                 Lowering &lowering) {
  if (!form.isTurned)
    return result;
  auto [outer, size, inner] =
      Around(cast<RankedTensorType>(output.getType()).getShape(), axis);
  return lowering.permuted(
      result.getLoc(),
      lowering.reshaped(result.getLoc(), result, {outer, inner, 1, size}),
      kTurn);
}
