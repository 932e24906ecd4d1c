//===- Memory.h - what moves work on ----------------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_ASCEND_MEMORY_H
#define WEFT_DIALECTS_ASCEND_MEMORY_H

#include "dialects/ascend/Ascend.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "dialects/ascend/Memory.h.inc"

namespace weft::ascend {

/// A memory value as a place in the memory that it is a view of.
struct Place {
  mlir::Value root;    ///< no view
  int64_t address = 0; ///< bytes behind the start of `root`, that is byte 0
};
Place placeOf(mlir::Value memory);

/// `elements` of the memory's element type at a place.
mlir::Value viewAt(mlir::OpBuilder &builder, mlir::Location loc, Place place,
                   int64_t elements, mlir::Type element);

} // namespace weft::ascend

#endif // WEFT_DIALECTS_ASCEND_MEMORY_H
