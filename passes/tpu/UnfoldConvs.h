//===- UnfoldConvs.h - windows of convolutions as channels ------*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_UNFOLDCONVS_H
#define WEFT_PASSES_TPU_UNFOLDCONVS_H

#include "dialects/tpu/Conv.h"
#include "runtime/chips/Chip.h"

namespace weft::tpu {

/// Cycles of `conv` on its whole result as --tpu-unfold-convs would have it;
/// std::nullopt if nothing fits. Weights are made on the way and erased again.
std::optional<int64_t> unfoldedCyclesOf(ConvOp conv, const Chip &chip);

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_UNFOLDCONVS_H
