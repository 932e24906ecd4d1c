//===- TilingSearch.cpp - into which slices to cut a group ----------------===//

#include "passes/tpu/TilingSearch.h"

#include "runtime/chips/Chip.h"

#include <algorithm>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

TilingSearch::TilingSearch(GroupCost &cost, const GroupView &view,
                           const GroupSearchOptions &options, SliceAim aim,
                           bool isStreamed, int64_t atLeast)
    : chip(cost.chip), view(view), groupCost(cost), options(options), aim(aim),
      isStreamed(isStreamed), atLeast(atLeast) {
  limits = {1 << 30, 1 << 30, 1 << 30, 1 << 30};
  for (auto [output, bands] : llvm::zip_equal(view.outputs, view.storedBands)) {
    Dims dims = dimsOf(view.value(output));
    if (bands)
      dims[kAxisH] = bands.getRows();
    int64_t lanes = chip.lanes;
    dims[kAxisC] = (dims[kAxisC] + lanes - 1) / lanes;
    for (unsigned axis = 0; axis < 4; ++axis)
      limits[axis] = std::min(limits[axis], dims[axis]);
  }
}

std::optional<TilingChoice> TilingSearch::run() {
  Dims whole{1, 1, 1, 1};
  walk(whole, kAxisN);
  Dims batches = whole;
  batches[kAxisN] = limits[kAxisN]; // finer cuts start from single batches
  refine(batches);
  if (!best) // an op may want its n whole
    refine(whole);
  return best;
}

/// Cuts beyond `base`: along one axis where that is enough.
void TilingSearch::refine(const Dims &base) {
  walk(base, kAxisH);
  // Channels in slices differ in all but full rounds over the lanes.
  if (!isStreamed && (aim == SliceAim::Fit || options.overlapsChannels))
    walk(base, kAxisC);
  if (best || aim == SliceAim::Overlap)
    return;
  walk(base, kAxisW); // an op may want its h whole
  Dims rows = base;
  rows[kAxisH] = limits[kAxisH];
  walk(rows, kAxisW);
  for (int64_t c = 2; c <= limits[kAxisC] && !best && !isStreamed; c *= 2) {
    Dims channels = base;
    channels[kAxisC] = c;
    walk(channels, kAxisH);
    walk(channels, kAxisW);
    channels[kAxisH] = limits[kAxisH];
    walk(channels, kAxisW);
  }
}

/// Tries more and more slices along `axis` until they serve the aim.
void TilingSearch::walk(Dims counts, unsigned axis) {
  stride(counts, axis);
  if (aim == SliceAim::Overlap && best)
    settle(counts, axis);
}

/// Tries counts between those that were tried around the best.
void TilingSearch::settle(Dims counts, unsigned axis) {
  Dims others = best->tiling.counts;
  others[axis] = counts[axis];
  if (others != counts)
    return; // found along another axis
  for (int64_t step = best->tiling.counts[axis] / 4; step > 0; step /= 2)
    for (int64_t sign : {-1, 1}) {
      int64_t from = best->tiling.counts[axis];
      counts[axis] = evenCount(from + sign * step, axis);
      if (counts[axis] != from && product(counts) > 1 &&
          product(counts) <= options.maxSlices &&
          tryCounts(counts) == Outcome::Best)
        break;
    }
}

/// The fewest slices that are no longer than of `count`.
int64_t TilingSearch::evenCount(int64_t count, unsigned axis) const {
  auto divided = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  int64_t size = limits[axis];
  return divided(size, divided(size, std::clamp<int64_t>(count, 1, size)));
}

void TilingSearch::stride(Dims counts, unsigned axis) {
  for (int64_t count = 1; count <= limits[axis];
       count = std::max(count + 1, std::min(count * 3 / 2, limits[axis]))) {
    if (evenCount(count, axis) == counts[axis] && count > 1)
      continue;
    counts[axis] = evenCount(count, axis);
    int64_t slices = product(counts);
    if (slices > options.maxSlices)
      return;
    if (slices < 2 || slices < atLeast)
      continue;
    Outcome outcome = tryCounts(counts);
    if (outcome == Outcome::Worse ||
        (outcome == Outcome::Best && aim == SliceAim::Fit))
      return;
  }
}

TilingSearch::Outcome TilingSearch::tryCounts(const Dims &counts) {
  std::optional<GroupFootprint> footprint =
      measureGroup(chip, view, counts, /*exact=*/false);
  // Computing everything twice is never worth the bytes it saves.
  if (!footprint || footprint->computed > 2 * footprint->wholeElements)
    return Outcome::DoesNotFit;
  Tiling tiling{counts, isStreamed};
  if (peakBytes(liveRanges(view, *footprint, tiling, 0)) >
      static_cast<int64_t>(chip.laneBytes))
    return Outcome::DoesNotFit;
  auto price = groupCost.ofSlices(view, *footprint, tiling);
  if (!price)
    return Outcome::DoesNotFit;
  if (best && price->weight() >= best->price.weight())
    return Outcome::Worse;
  best = TilingChoice{tiling, *price};
  return Outcome::Best;
}

/// `tiling`, or more slices if need be and it is not streamed, under which the
/// group really can be placed.
std::optional<Tiling>
weft::tpu::placeableTiling(GroupCost &cost, const GroupView &view,
                           Tiling tiling, const GroupSearchOptions &options) {
  if (tiling.streamsImages())
    return placeGroup(cost.chip, view, tiling) ? std::optional(tiling)
                                               : std::nullopt;
  while (!placeGroup(cost.chip, view, tiling)) {
    std::optional<TilingChoice> next =
        TilingSearch(cost, view, options, SliceAim::Fit, tiling.isStreamed,
                     tiling.slices() + 1)
            .run();
    if (!next)
      return std::nullopt;
    tiling = next->tiling;
  }
  return tiling;
}
