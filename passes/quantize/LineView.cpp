//===- LineView.cpp - 4-D views with whole lines in a lane ----------------===//

#include "passes/quantize/LineView.h"

#include "dialects/tpu/Box.h"
#include "passes/quantize/Lowering.h"
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

/// `inner` as c x w, where each of `size` planes is moved and computed with:
/// more lanes compute less each and are moved in shorter runs, which cost as
/// much as the shortest one that the DMA engine moves at full rate.
static std::optional<std::pair<int64_t, int64_t>>
splitInner(const Around &around, const LineCost &cost, const Chip &chip) {
  std::optional<std::pair<int64_t, int64_t>> best;
  int64_t least = 0, lanes = chip.lanes,
          room = laneRoom(chip) / cost.bytesPerElement;
  for (int64_t c = 1; c <= std::min(around.inner, kLargestAxis); ++c) {
    int64_t w = around.inner / c, rows = llvm::divideCeil(w, rowElements(chip));
    if (around.inner % c || w > kLargestAxis ||
        around.size * rows * rowElements(chip) > room)
      continue;
    int64_t runBytes = std::max<int64_t>(w * 4, chip.rates.shortestDmaRun);
    int64_t cycles =
        around.size * (2 * c * runBytes / chip.rates.loadBytes +
                       llvm::divideCeil(c, lanes) * rows * cost.rowCycles);
    if (!best || cycles < least) {
      best = std::pair(c, w);
      least = cycles;
    }
  }
  return best;
}

/// About what lines of `size` elements take as `c` channels of `h` lines each.
static int64_t lineCycles(int64_t c, int64_t h, int64_t size,
                          const LineCost &cost, const Chip &chip) {
  auto transferred = [&](int64_t elements) {
    return c * std::max<int64_t>(elements * 4, chip.rates.shortestDmaRun);
  };
  int64_t result = cost.givesLines ? h * size : h;
  return transferred(h * size) / chip.rates.loadBytes +
         transferred(result) / chip.rates.storeBytes +
         llvm::divideCeil(c, chip.lanes) *
             llvm::divideCeil(h * size, rowElements(chip)) * cost.rowCycles;
}

/// `outer` lines as c x h, a lane with several short ones behind each other, if
/// that costs at most four fifths of n x c with one in each lane.
static std::optional<std::pair<int64_t, int64_t>>
stackLines(int64_t outer, int64_t size, const LineCost &cost,
           const Chip &chip) {
  std::optional<std::pair<int64_t, int64_t>> best;
  int64_t least = lineCycles(outer, 1, size, cost, chip) / 5 * 4;
  for (int64_t c = 1; c <= std::min(outer / 2, kLargestAxis); ++c) {
    if (outer % c || outer / c > kLargestAxis)
      continue;
    int64_t cycles = lineCycles(c, outer / c, size, cost, chip);
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

/// About what the TIU takes for lines along h or w.
static int64_t tiuCycles(const LineView &view, const LineCost &cost,
                         const Chip &chip) {
  ArrayRef<int64_t> shape = view.shape;
  return shape[tpu::kAxisN] * llvm::divideCeil(shape[tpu::kAxisC], chip.lanes) *
         llvm::divideCeil(shape[tpu::kAxisH] * shape[tpu::kAxisW],
                          rowElements(chip)) *
         cost.rowCycles;
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

/// About what `slices` slices take whose transfers run beside the TIU: one of
/// them all alone, the others in the longer of both.
static int64_t overlapped(int64_t dma, int64_t tiu, int64_t slices) {
  return slices > 1 ? std::max(dma, tiu) + (dma + tiu) / slices : dma + tiu;
}

std::optional<LineView>
weft::quantize::viewOverLanes(const Around &around,
                              const std::optional<LineView> &other, bool isMade,
                              const LineCost &cost, const Chip &chip) {
  // Of each image the TIU turns numbers of the lanes into a row, combines and
  // hands them out again, twice.
  constexpr int64_t kAcrossCycles = 130;
  auto [outer, size, inner] = around;
  int64_t room = laneRoom(chip) / cost.bytesPerElement;
  if (inner > 1 || outer > kLargestAxis)
    return std::nullopt;
  std::optional<LineView> best;
  int64_t least = 0;
  if (other) {
    ArrayRef<int64_t> shape = other->shape;
    int64_t rounds = llvm::divideCeil(shape[tpu::kAxisC], chip.lanes);
    least = overlapped(isMade ? 0 : roundTripCycles(outer * size * 4, chip),
                       tiuCycles(*other, cost, chip),
                       shape[tpu::kAxisN] * rounds * shape[tpu::kAxisH]);
  }
  for (int64_t c = 2; c <= std::min<int64_t>(size, chip.lanes); ++c) {
    if (size % c || size / c > room)
      continue;
    LineView view{{outer, c, 1, size / c}, tpu::kAxisW};
    int64_t runBytes =
        std::max<int64_t>(size / c * 4, chip.rates.shortestDmaRun);
    int64_t cycles =
        overlapped(roundTripCycles(outer * c * runBytes, chip),
                   tiuCycles(view, cost, chip) + outer * kAcrossCycles, outer);
    if ((best || other) && cycles >= least)
      continue;
    best = view;
    least = cycles;
  }
  return best;
}

bool weft::quantize::isMadeIn(const std::optional<LineView> &view,
                              Value input) {
  auto shape = cast<RankedTensorType>(input.getType()).getShape();
  return view && input.getDefiningOp() &&
         ArrayRef(view->shape) == ArrayRef(foldShape(shape));
}
