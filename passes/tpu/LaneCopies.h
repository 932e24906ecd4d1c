//===- LaneCopies.h - values that begin in two lanes ------------*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_LANECOPIES_H
#define WEFT_PASSES_TPU_LANECOPIES_H

#include "passes/tpu/GroupSearch.h"

namespace weft::tpu {

/// Searches groups as `searchGroups` does, and once more with copies
/// (`tpu.move_lanes`) of the values that ended groups because they would have
/// had to begin in two lanes, as long as the groups get cheaper by it. The
/// copies are added to the graph and to `run`.
std::optional<std::vector<GroupChoice>>
searchWithLaneCopies(GroupCost &cost, std::vector<mlir::Operation *> &run,
                     const GroupSearchOptions &options,
                     mlir::Operation *&failed);

/// The ops of a group to be built: what is copied only for others is theirs as
/// it was in DRAM, for a group stores what it makes and nothing that it loads.
/// Copies without readers are erased.
llvm::SmallVector<mlir::Operation *>
settleCopies(llvm::ArrayRef<mlir::Operation *> ops);

/// Drops those of the group, which has a tiling, that nothing needs because
/// what wanted the other place is not in it.
void dropNeedlessCopies(const Chip &chip, GroupOp group);

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_LANECOPIES_H
