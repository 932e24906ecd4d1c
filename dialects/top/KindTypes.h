//===- KindTypes.h - element types of a function ----------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_KINDTYPES_H
#define WEFT_DIALECTS_TOP_KINDTYPES_H

#include "dialects/top/Kinds.h"

#include "mlir/IR/BuiltinTypes.h"

namespace weft::top {

/// True if a function of that row accepts operands of element type `type`.
inline bool accepts(KindTypes types, mlir::Type type) {
  bool isBool = type.isInteger(1);
  switch (types) {
  case KindTypes::Any:
    return true;
  case KindTypes::Bool:
    return isBool;
  case KindTypes::Float:
    return mlir::isa<mlir::FloatType>(type);
  case KindTypes::Integer:
    return mlir::isa<mlir::IntegerType>(type) && !isBool;
  case KindTypes::Number:
    return !isBool;
  }
  llvm_unreachable("covered switch");
}

} // namespace weft::top

#endif // WEFT_DIALECTS_TOP_KINDTYPES_H
