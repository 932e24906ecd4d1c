//===- GroupSearch.h - which consecutive ops to group -----------*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_GROUPSEARCH_H
#define WEFT_PASSES_TPU_GROUPSEARCH_H

#include "passes/tpu/GroupCost.h"

namespace weft::tpu {

/// Knobs of the search; the defaults are those of --tpu-group-layers.
struct GroupSearchOptions {
  int64_t maxOps = 512;      ///< longest group whose slices are whole images
  int64_t maxSlicedOps = 16; ///< longest group that is cut into slices
  int64_t maxSlices = 4096;  ///< per group
  /// Whether groups that fit are cut along channels too, which orders their
  /// constants by slices.
  bool overlapsChannels = true;

  /// The same of groups that begin where one of a cheap cover does. These are
  /// few, so more can be weighed.
  int64_t maxOverlapOps() const {
    return maxSlicedOps > 1 ? std::min<int64_t>(2 * maxSlicedOps, 64) : 0;
  }
};

/// A group that the search weighed, up to op `end` of the run.
struct WeighedGroup {
  size_t end = 0;
  Tiling tiling;
  GroupPrice price;
};

/// Ops [begin, end) of a run, cut into slices.
struct GroupChoice {
  size_t begin = 0, end = 0;
  Tiling tiling;
  GroupPrice price;
  /// All that begin at the same op.
  std::vector<WeighedGroup> weighed;
};

/// Cuts a run of tileable ops (in topological order) into groups so that the
/// sum of their weights (GroupPrice) is least. Interval dynamic program; every
/// choice has a placement that fits. On failure the op that cannot be placed
/// even alone is returned in `failed`.
std::optional<std::vector<GroupChoice>>
searchGroups(GroupCost &cost, llvm::ArrayRef<mlir::Operation *> run,
             const GroupSearchOptions &options, mlir::Operation *&failed);

/// Whether `op`, which is tileable, can be placed in a group of its own; if so
/// `searchGroups` does not fail for it.
bool fitsAlone(const Chip &chip, mlir::Operation *op,
               const GroupSearchOptions &options);

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_GROUPSEARCH_H
