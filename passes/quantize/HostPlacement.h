//===- HostPlacement.h - ops that the chip does not compute -----*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_HOSTPLACEMENT_H
#define WEFT_PASSES_QUANTIZE_HOSTPLACEMENT_H

#include "dialects/top/Host.h"
#include "passes/quantize/Lowering.h"

namespace weft::quantize {

/// True if a kernel of the host computes `op`: there is one of its name, and
/// the host holds its attributes, operands and results.
bool hasHostKernel(mlir::Operation *op);

/// Whether `op` runs branches or a loop, which only the host does.
bool runsGraphs(mlir::Operation *op);

/// Whether a kernel of the library may compute `op` on a chip; false where
/// nothing brings kernels (weft-opt).
bool hasLibraryKernel(top::HostOp op);

/// Plans the cheapest kernel of the library that computes `op`. (Library.cpp)
Answer<> planLibraryKernel(top::HostOp op, Lowering &lowering);

/// Why `op` is not for the chip, and the way out; `noHost`: that of a program
/// without the host.
Refusal refusalOfHostOp(top::HostOp op, bool noHost);

/// Plans a `tpu.host` that computes the top op `op`; `refusal` says why it is
/// not on the chip.
void planOnHost(mlir::Operation *op, const Refusal &refusal,
                Lowering &lowering);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_HOSTPLACEMENT_H
