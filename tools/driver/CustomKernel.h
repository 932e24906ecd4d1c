//===- CustomKernel.h - kernels in a program --------------------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_CUSTOMKERNEL_H
#define WEFT_TOOLS_DRIVER_CUSTOMKERNEL_H

#include "tools/driver/Plugins.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace weft::driver {

/// Replaces every `ppl.custom` of the module's nets by the commands that the
/// kernel of its plugin, or of the library, records. A kernel has all local
/// memory to itself; what it needs of DRAM beside its tensors is added to the
/// activation area. Every problem is an error at the node, with the library and
/// the kernel's line.
mlir::LogicalResult insertCustomKernels(mlir::ModuleOp module,
                                        const Plugins &plugins);

/// The predicted cycles of the kernel of an operator by itself, for tensors of
/// these types; none if it is not for them or makes more than `mostCalls`
/// calls.
std::optional<uint64_t>
kernelCycles(mlir::MLIRContext &context, const Chip &chip,
             const Plugins &plugins, const Plugins::Operator &found,
             const CustomOperator &called, mlir::ArrayAttr inputTypes,
             mlir::ArrayAttr outputTypes, size_t mostCalls);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_CUSTOMKERNEL_H
