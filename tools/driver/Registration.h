//===- Registration.h - all dialects and passes -------------------*- C++
//-*-===//

#ifndef WEFT_TOOLS_DRIVER_REGISTRATION_H
#define WEFT_TOOLS_DRIVER_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace weft {

/// Adds Weft's dialects, without those of MLIR that they are mixed with.
void registerWeftDialects(mlir::DialectRegistry &registry);

/// Adds Weft's dialects and those of MLIR that they are mixed with (arith,
/// func, quant, scf).
void registerAllDialects(mlir::DialectRegistry &registry);

/// Makes every Weft pass and pipeline known to the pass registry. Once a
/// program.
void registerAllPasses();

} // namespace weft

#endif // WEFT_TOOLS_DRIVER_REGISTRATION_H
