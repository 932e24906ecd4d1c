//===- CustomKernel.h - kernels of plugins in a program ---------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_CUSTOMKERNEL_H
#define WEFT_TOOLS_DRIVER_CUSTOMKERNEL_H

#include "tools/driver/Plugins.h"

#include "mlir/IR/BuiltinOps.h"

namespace weft::driver {

/// Replaces every `ppl.custom` of the module's nets by the commands that the
/// kernel of its plugin records. A kernel has all local memory to itself; what
/// it needs of DRAM beside its tensors is added to the activation area. Every
/// problem is an error at the node, with the library and the kernel's line.
mlir::LogicalResult insertCustomKernels(mlir::ModuleOp module,
                                        const Plugins &plugins);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_CUSTOMKERNEL_H
