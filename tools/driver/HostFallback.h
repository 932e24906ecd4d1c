//===- HostFallback.h - to the host what later passes refuse ----*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_HOSTFALLBACK_H
#define WEFT_TOOLS_DRIVER_HOSTFALLBACK_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLExtras.h"

namespace weft::driver {

/// Runs `lower` on the top module `module` and puts what it gives in its place.
/// Most ops that the chip cannot compute are refused by their lowering, which
/// places them on the host at once. One that a later pass refuses with
/// "unsupported: ..." (it does not fit the local memory, say) is marked here
/// for the host and everything is lowered again, a few times at most; with
/// `noHost` nothing is, and such a refusal says that the host could do it.
/// Errors of the last attempt are printed, one for an op.
mlir::LogicalResult lowerWithHostFallback(
    mlir::OwningOpRef<mlir::ModuleOp> &module, bool noHost,
    llvm::function_ref<mlir::LogicalResult(mlir::ModuleOp)> lower);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_HOSTFALLBACK_H
