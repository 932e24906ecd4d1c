//===- Call.h - calls of PPL functions --------------------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_EMIT_CALL_H
#define WEFT_CODEGEN_EMIT_CALL_H

#include "dialects/ppl/Function.h"
#include "mlir/IR/Builders.h"

#include <variant>

namespace weft::emit {

/// An argument of a call: a tensor, or a number. Null tensors are left out.
class Argument {
public:
  Argument(mlir::Value tensor) : value(tensor) {}
  Argument(int64_t integer) : value(integer) {}
  Argument(int integer) : value(int64_t(integer)) {}
  Argument(bool flag) : value(int64_t(flag)) {}
  Argument(double real) : value(real) {}
  Argument(mlir::ArrayRef<int64_t> list)
      : value(llvm::SmallVector<int64_t, 4>(list)) {}

  /// The tensor; null if it is a number.
  mlir::Value tensor() const;
  /// As an op takes it.
  ppl::FunctionArgument given(mlir::OpBuilder &builder) const;

private:
  std::variant<mlir::Value, int64_t, double, llvm::SmallVector<int64_t, 4>>
      value;
};

/// An argument with the slot of the function that takes it.
struct Named {
  llvm::StringRef slot;
  Argument argument;
};

/// Makes the call of a function of the catalog ("tiu.fadd"). Slots that are not
/// named have the function's fallback.
void emitCall(mlir::OpBuilder &builder, mlir::Location loc,
              llvm::StringRef function, mlir::ArrayRef<Named> arguments);

} // namespace weft::emit

#endif // WEFT_CODEGEN_EMIT_CALL_H
