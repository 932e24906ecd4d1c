//===- Ascend.h - the ascend dialect ----------------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_ASCEND_ASCEND_H
#define WEFT_DIALECTS_ASCEND_ASCEND_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ExtensibleDialect.h"
#include "mlir/IR/OpDefinition.h"

namespace weft::ascend {

/// Memory spaces of memrefs.
inline constexpr llvm::StringLiteral kGlobalSpace = "gm", kL1Space = "l1";

/// Attribute of a module: the machine whose rules hold.
inline constexpr llvm::StringLiteral kTargetAttr = "ascend.target";
/// Attribute of a layer: the functions that move its inputs to L1.
inline constexpr llvm::StringLiteral kInputsAttr = "ascend.inputs";

/// The type as memory that moves work on: contiguous, of static shape, in "gm"
/// or "l1", with elements of 8, 16 or 32 bits. Null if it is another.
mlir::MemRefType memoryOf(mlir::Type type);
/// "a contiguous memref of ..", for messages.
llvm::StringRef memoryWords();
bool isInL1(mlir::MemRefType type);
int64_t bytesOf(mlir::MemRefType type);
/// `elements` of a type in a memory space.
mlir::MemRefType memoryType(int64_t elements, mlir::Type element, bool inL1);

} // namespace weft::ascend

#include "dialects/ascend/AscendDialect.h.inc"

#endif // WEFT_DIALECTS_ASCEND_ASCEND_H
