//===- Top.h - the top dialect --------------------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_TOP_H
#define WEFT_DIALECTS_TOP_TOP_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/top/TopDialect.h.inc"

#endif // WEFT_DIALECTS_TOP_TOP_H
