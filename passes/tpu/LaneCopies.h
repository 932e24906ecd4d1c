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

/// Leaves the copies that groups need, once all groups of `body` are built with
/// their tilings: before that, a value and its copy are two arguments of a
/// reader, which begin in two lanes.
void settleLaneCopies(const Chip &chip, mlir::Block &body);

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_LANECOPIES_H
