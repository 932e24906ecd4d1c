//===- GroupBorder.h - why groups end where they do -------------*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_GROUPBORDER_H
#define WEFT_PASSES_TPU_GROUPBORDER_H

#include "dialects/tpu/Decision.h"
#include "passes/tpu/GroupSearch.h"

namespace weft::tpu {

/// Per choice of `searchGroups`, before the ops are moved: why it and the next
/// one are not one group; of the last why it and the op behind the run are not,
/// null if nothing follows.
std::vector<CauseAttr> bordersOf(const Chip &chip,
                                 llvm::ArrayRef<mlir::Operation *> run,
                                 llvm::ArrayRef<GroupChoice> choices,
                                 const GroupSearchOptions &options);

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_GROUPBORDER_H
