//===- Host.h - tpu ops of the Host family ----------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_HOST_H
#define WEFT_DIALECTS_TPU_HOST_H

#include "dialects/CustomKernels.h"
#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Host.h.inc"

namespace weft::tpu {

/// True if the results of `op` are tensors of the host, which have no place in
/// the memories of the chip.
inline bool givesHostTensors(mlir::Operation &op) {
  return mlir::isa<ToHostOp, HostOp, HostConstantOp>(op);
}

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_HOST_H
