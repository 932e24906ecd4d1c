//===- HostEmitter.h - host ops of tpu to those of ppl ----------*- C++ -*-===//

#ifndef WEFT_CODEGEN_EMIT_HOSTEMITTER_H
#define WEFT_CODEGEN_EMIT_HOSTEMITTER_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace weft::emit {

/// Emits the ops of the Host family. Their values are tensors of the host,
/// which have no place in DRAM.
class HostEmitter {
public:
  explicit HostEmitter(mlir::OpBuilder &builder) : builder(builder) {}

  /// Emits `op` if it is of the family, else returns false. `globalTensor`
  /// gives the DRAM tensor of a value of the chip.
  bool emit(mlir::Operation &op,
            llvm::function_ref<mlir::Value(mlir::Value)> globalTensor);

private:
  mlir::OpBuilder &builder;
  llvm::DenseMap<mlir::Value, mlir::Value> values; ///< tpu -> ppl
};

} // namespace weft::emit

#endif // WEFT_CODEGEN_EMIT_HOSTEMITTER_H
