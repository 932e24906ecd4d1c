//===- GroupPlacement.h - local memory of a group ---------------*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_GROUPPLACEMENT_H
#define WEFT_PASSES_TPU_GROUPPLACEMENT_H

#include "dialects/tpu/Decision.h"
#include "dialects/tpu/GroupPlan.h"
#include "passes/tpu/LocalAllocation.h"

namespace weft::tpu {

/// Buffers of a tiled group, the largest of each over the slices looked at.
struct GroupFootprint {
  std::vector<GroupBuffer> buffers;
  std::vector<bool> changes; ///< per buffer: what it holds differs between
                             ///< slices, so loads rotate
  int64_t loadedBytes = 0;   ///< DRAM bytes read by all slices
  int64_t storedBytes = 0;   ///< DRAM bytes written by all slices
  int64_t computed =
      0; ///< elements computed by all slices, halo recompute included
  int64_t wholeElements = 0; ///< the same without slicing
};

/// Looks at every slice if `exact`, else at the first, second, middle and last
/// of every axis (sizes are exact up to rounding there; the traffic is
/// extrapolated). std::nullopt if a slice cannot be planned or a buffer exceeds
/// a lane.
std::optional<GroupFootprint> measureGroup(const Chip &chip,
                                           const GroupView &view,
                                           const Dims &counts, bool exact);

/// Live ranges of the buffers over a slice's steps (op numbers). Pipelined,
/// whatever crosses DRAM lives throughout and is doubled where it changes; else
/// what is stored lives at least `storing` steps longer than the one that makes
/// it, which may be steps of the next slice.
std::vector<LiveRange> liveRanges(const GroupView &view,
                                  const GroupFootprint &footprint,
                                  const Tiling &tiling, int64_t storing);

/// A buffer's place: see #tpu.buffer.
struct BufferPlace {
  int64_t local = 0, bytes = 0, rotate = 0, load = 0;
  bool held = false;
};

/// Which of what wants to lie long does so. No group knows what suits the
/// program best: the groups before and behind it want the same bytes.
struct PlacementOrder {
  /// The largest load begins as early as it can, not the one that is wanted
  /// first.
  bool largestLoadFirst = false;
  /// What is stored makes room at once, even if nobody needs it.
  bool storesAtOnce = false;
  /// What is put together for the group behind lies from byte 0 on, where it
  /// splits no room of either group.
  bool wholesFirst = false;

  static PlacementOrder of(GroupOp group) {
    return {group->hasAttr(kLargestLoadFirstAttr),
            group->hasAttr(kStoresAtOnceAttr),
            group->hasAttr(kWholesFirstAttr)};
  }
};

/// Places all buffers; unless pipelined, loads begin as early as there is room,
/// and what all slices read is held where there is more of it. std::nullopt if
/// they do not fit.
std::optional<std::vector<BufferPlace>> placeGroup(const Chip &chip,
                                                   const GroupView &view,
                                                   const Tiling &tiling,
                                                   PlacementOrder order = {});
/// Of buffers that were measured.
std::optional<std::vector<BufferPlace>>
placeGroup(const Chip &chip, const GroupView &view, const Tiling &tiling,
           const GroupFootprint &footprint, PlacementOrder order = {});

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_GROUPPLACEMENT_H
