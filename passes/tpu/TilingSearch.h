//===- TilingSearch.h - into which slices to cut a group --------*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_TILINGSEARCH_H
#define WEFT_PASSES_TPU_TILINGSEARCH_H

#include "passes/tpu/GroupSearch.h"

namespace weft::tpu {

struct TilingChoice {
  Tiling tiling;
  GroupPrice price;
};

/// Why a group is cut into slices.
enum class SliceAim : uint8_t {
  Fit,     ///< it has no room otherwise: the first that fit
  Overlap, ///< the engines wait for each other: more while it gets cheaper
};

/// Walks tilings of one group along one family after the other and keeps the
/// cheapest with more than one slice that fits. `atLeast` skips those with
/// fewer slices (a group that needed four slices will not need fewer with one
/// op more).
class TilingSearch {
public:
  TilingSearch(GroupCost &cost, const GroupView &view,
               const GroupSearchOptions &options, SliceAim aim, bool isStreamed,
               int64_t atLeast);

  std::optional<TilingChoice> run();

private:
  enum class Outcome : uint8_t { DoesNotFit, Worse, Best };
  void refine(const Dims &base);
  void walk(Dims counts, unsigned axis);
  void settle(Dims counts, unsigned axis);
  int64_t evenCount(int64_t count, unsigned axis) const;
  void stride(Dims counts, unsigned axis);
  Outcome tryCounts(const Dims &counts);

  const Chip &chip;
  const GroupView &view;
  GroupCost &groupCost;
  const GroupSearchOptions &options;
  SliceAim aim;
  bool isStreamed;
  int64_t atLeast;
  Dims limits;
  std::optional<TilingChoice> best;
};

/// `tiling`, or more slices if need be and it is not streamed, under which the
/// group really can be placed.
std::optional<Tiling> placeableTiling(GroupCost &cost, const GroupView &view,
                                      Tiling tiling,
                                      const GroupSearchOptions &options);

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_TILINGSEARCH_H
