//===- Passes.h - grouping, tiling and placement of tpu graphs --*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_PASSES_H
#define WEFT_PASSES_TPU_PASSES_H

#include "passes/tpu/GroupSearch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace weft::tpu {

/// Limits of --tpu-group-layers; 0 leaves the pass's default.
struct GroupLayersOptions {
  int64_t maxOps = 0;       ///< longest group that runs in one slice
  int64_t maxSlicedOps = 0; ///< longest group that is cut into slices
};

/// --tpu-group-layers: puts runs of tileable ops into `tpu.group`s with a
/// tiling under which they fit local memory.
std::unique_ptr<mlir::Pass>
createGroupLayersPass(const GroupLayersOptions &options = {});

#define GEN_PASS_DECL
#include "passes/tpu/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/tpu/Passes.h.inc"

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_PASSES_H
