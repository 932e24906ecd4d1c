//===- PlaneTransfer.h - a first guess at what a transfer costs -*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_PLANETRANSFER_H
#define WEFT_PASSES_TPU_PLANETRANSFER_H

#include "dialects/tpu/Tpu.h"
#include "runtime/chips/Chip.h"

#include <algorithm>

namespace weft::tpu {

/// Cycles to move `value` under these sizes between DRAM and lanes at `rate`
/// bytes a cycle, a run a channel.
inline int64_t planeTransferCycles(mlir::Value value, const Dims &dims,
                                   const Chip &chip, int64_t rate) {
  int64_t run = dims[kAxisH] * dims[kAxisW] * elementBits(elementOf(value)) / 8;
  return dims[kAxisN] * dims[kAxisC] *
         std::max<int64_t>(run, chip.rates.shortestDmaRun) / rate;
}

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_PLANETRANSFER_H
