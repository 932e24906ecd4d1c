//===- OpsBefore.h - the ops that only one reads ----------------*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_OPSBEFORE_H
#define WEFT_PASSES_TPU_OPSBEFORE_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace weft::tpu {

/// What leads to the operands of an op.
struct OpsBefore {
  llvm::SetVector<mlir::Operation *> ops; ///< from the last to the first
  llvm::SetVector<mlir::Value> sources;   ///< values that they begin with
};

/// `last`, and the ops before it for which `belongs` holds and whose results
/// only these ops read.
OpsBefore opsBefore(mlir::Operation *last,
                    llvm::function_ref<bool(mlir::Operation *)> belongs);

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_OPSBEFORE_H
