//===- RangeEnds.h - values of functions of a known range -------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_RANGEENDS_H
#define WEFT_TOOLS_DRIVER_RANGEENDS_H

#include "tools/comparison/ZeroFloor.h"

#include "mlir/IR/BuiltinOps.h"

namespace weft::driver {

/// Of the float graph `module` the values, outputs too, that sigmoids and
/// functions like it give, also moved, joined, chosen from or multiplied with
/// each other (a gate of a GRU). Not those of a softmax: its quotient keeps the
/// digits of small results.
comparison::RangeEnds rangeEndsOf(mlir::ModuleOp module);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_RANGEENDS_H
