//===- Zhouyi.h - the zhouyi dialect and its types --------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_ZHOUYI_ZHOUYI_H
#define WEFT_DIALECTS_ZHOUYI_ZHOUYI_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ExtensibleDialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace weft::zhouyi {
/// A vector of elements that registers can hold: 1 to 4096 lanes of si8, ui8,
/// si16, ui16, si32, ui32, f16, bf16 or f32.
bool isVector(mlir::Type type);
/// The same of i1.
bool isMask(mlir::Type type);
} // namespace weft::zhouyi

#include "dialects/zhouyi/ZhouyiDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/zhouyi/ZhouyiTypes.h.inc"

#endif // WEFT_DIALECTS_ZHOUYI_ZHOUYI_H
