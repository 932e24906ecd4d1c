//===- GlobalCopy.h - copies between tensors in DRAM ------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_EMIT_GLOBALCOPY_H
#define WEFT_CODEGEN_EMIT_GLOBALCOPY_H

#include "codegen/emit/Emit.h"
#include "dialects/tpu/Move.h"

namespace weft::emit {

/// Bytes of an element of a ppl tensor.
unsigned elementBytesOf(mlir::Value tensor);

/// A strided copy out of the dense DRAM tensor `source`.
struct CopyPiece {
  mlir::Value source;
  tpu::StridedCopy copy;
};

/// Copies pieces that do not overlap into the dense DRAM tensor `result`, all
/// of one element size but for a single piece of floats of 16 bits in an f32
/// result, which become that: by DMA commands within DRAM or by way of local
/// memory, whatever the planner of runtime/transfer says is cheaper. Only for
/// ops outside of groups, which have all of local memory to themselves. Reports
/// at `op` if there is no way.
mlir::LogicalResult emitCopies(mlir::Operation *op, mlir::OpBuilder &builder,
                               llvm::ArrayRef<CopyPiece> pieces,
                               mlir::Value result);

/// Copies pieces of one source that do not depend on each other into a result
/// each: `ops` are slices of one tensor that follow each other.
mlir::LogicalResult emitSplit(llvm::ArrayRef<mlir::Operation *> ops,
                              mlir::OpBuilder &builder,
                              llvm::ArrayRef<CopyPiece> pieces,
                              llvm::ArrayRef<mlir::Value> results);

/// What a slice copies, from its source to its result in DRAM.
CopyPiece slicePiece(tpu::SliceOp op, mlir::Value source);

} // namespace weft::emit

#endif // WEFT_CODEGEN_EMIT_GLOBALCOPY_H
