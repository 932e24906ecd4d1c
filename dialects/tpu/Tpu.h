//===- Tpu.h - the tpu dialect --------------------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_TPU_H
#define WEFT_DIALECTS_TPU_TPU_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/tpu/TpuDialect.h.inc"

#endif // WEFT_DIALECTS_TPU_TPU_H
