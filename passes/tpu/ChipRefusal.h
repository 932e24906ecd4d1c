//===- ChipRefusal.h - what a chip cannot run -------------------*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_CHIPREFUSAL_H
#define WEFT_PASSES_TPU_CHIPREFUSAL_H

#include "dialects/Refusal.h"

namespace weft {
struct Chip;
}

namespace weft::tpu {

/// Why `chip` cannot run the tpu op `op`, alone in a layer group or between
/// DRAM tensors, or std::nullopt if it can: then neither the grouping nor the
/// emission of it fails. `op` need not be part of a graph. The limits are those
/// of one command (windows, DMA) and of the memories.
std::optional<Refusal> refusalOf(mlir::Operation *op, const Chip &chip);

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_CHIPREFUSAL_H
