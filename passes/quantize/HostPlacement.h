//===- HostPlacement.h - ops that the chip does not compute -----*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_HOSTPLACEMENT_H
#define WEFT_PASSES_QUANTIZE_HOSTPLACEMENT_H

#include "passes/quantize/Lowering.h"

namespace weft::quantize {

/// Discardable attribute on a top op that is to be placed on the host: why
/// (StringAttr). Made by a driver when a later pass refused the op.
inline constexpr llvm::StringLiteral kHostReasonAttr = "top.host_reason";

/// What an attempt to lower an op said: its errors, kept back.
class Complaints {
public:
  explicit Complaints(mlir::MLIRContext *context) : context(context) {}

  /// Runs `attempt`; the errors that it emits are kept, the rest passes.
  mlir::LogicalResult keep(llvm::function_ref<mlir::LogicalResult()> attempt);

  /// The first reason, without "unsupported: ", if all errors say that
  /// something is not supported; std::nullopt if one is of another kind.
  std::optional<std::string> reason() const;

  /// Emits what was kept, `hint` after each message.
  void emit(llvm::StringRef hint = "");

private:
  mlir::MLIRContext *context;
  std::vector<mlir::Diagnostic> errors;
};

/// True if a kernel of the host computes `op`: there is one of its name, and
/// the host holds its attributes, operands and results.
bool hasHostKernel(mlir::Operation *op);

/// Appends a `tpu.host` that computes the top op `op`; `reason` says why it is
/// not on the chip.
void placeOnHost(mlir::Operation *op, llvm::StringRef reason,
                 Lowering &lowering);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_HOSTPLACEMENT_H
