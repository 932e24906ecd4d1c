//===- OutputParts.h - what an output joins ---------------------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_OUTPUTPARTS_H
#define WEFT_TOOLS_DRIVER_OUTPUTPARTS_H

#include "tools/comparison/OutputPart.h"

#include "mlir/IR/BuiltinOps.h"

namespace weft::driver {

using comparison::OutputPart;
using comparison::OutputParts;

/// Of the outputs of the float graph `module` that are concatenations, also
/// through reshapes, transposes and casts, and of such. Boxes up to 640 beside
/// scores up to 1 are all that is seen in one number for both. Constants are
/// no parts. An output of more than 16 parts has none: that is a sequence, not
/// several answers.
OutputParts outputPartsOf(mlir::ModuleOp module);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_OUTPUTPARTS_H
