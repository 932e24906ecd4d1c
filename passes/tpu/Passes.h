//===- Passes.h - grouping, tiling and placement of tpu graphs --*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_PASSES_H
#define WEFT_PASSES_TPU_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace weft::tpu {

/// --tpu-choose-recipes: names the cheapest recipe of every op that has more
/// than one, as attribute `tpu.recipe`.
std::unique_ptr<mlir::Pass> createChooseRecipesPass();

/// Limits of --tpu-group-layers; 0 leaves the pass's default.
struct GroupLayersOptions {
  int64_t maxOps = 0;       ///< longest group that runs in one slice
  int64_t maxSlicedOps = 0; ///< longest group that is cut into slices
};

/// --tpu-group-layers: puts runs of tileable ops into `tpu.group`s with a
/// tiling under which they fit local memory.
std::unique_ptr<mlir::Pass>
createGroupLayersPass(const GroupLayersOptions &options = {});

/// --tpu-place-local: gives every buffer of every group its local address and
/// the step at which it is loaded.
std::unique_ptr<mlir::Pass> createPlaceLocalPass();

/// --tpu-place-global: gives packed constants, arguments, results and whatever
/// else crosses DRAM their addresses.
std::unique_ptr<mlir::Pass> createPlaceGlobalPass();

/// Makes the passes of this folder known by their flags.
void registerTpuPasses();

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_PASSES_H
