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

/// Gives what reads a result of `group` that is only a copy of what the group
/// loads the tensor that was loaded, for a group stores what it makes. Before
/// that the groups of all readers must be built: there a value and its copy are
/// two arguments, which begin in two lanes.
void dropLoadedResults(GroupOp group);

/// Drops those of the group, which has a tiling, that nothing needs because
/// what wanted the other place is not in it.
void dropNeedlessCopies(const Chip &chip, GroupOp group);

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_LANECOPIES_H
