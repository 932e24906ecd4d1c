//===- Function.h - the functions of PPL as ops ---------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_PPL_FUNCTION_H
#define WEFT_DIALECTS_PPL_FUNCTION_H

#include "dialects/ppl/TensorLayout.h"
#include "runtime/catalog/Catalog.h"

#include "mlir/IR/Builders.h"

/// One op a function of runtime/catalog/Catalog.h, `ppl.tiu.fadd` for
/// `tiu.fadd`. They are dynamic ops, made from the catalog when the dialect is
/// loaded: so many classes take minutes to compile, and keep what the kernel
/// language, Python, the interpreter and the manual need where only MLIR can
/// read it.
///
///   ppl.tiu.fadd dst = %y, src0 = %x, src1 = 1.5 : !t, !t
///
/// Names are the catalog's slots; those left out have the function's fallback.
/// The verifier is catalog::problemOf. `--ppl-expand` turns them into commands.
namespace weft::ppl {

/// The element type of IR for a type of the catalog and back. FP4 and types
/// that tensors do not have give null and std::nullopt.
mlir::Type elementTypeOf(catalog::DataType type, mlir::MLIRContext *context);
std::optional<catalog::DataType> dataTypeOf(mlir::Type type);
catalog::AlignMode alignModeOf(Layout layout);
std::optional<Layout> layoutOf(catalog::AlignMode mode, Memory memory);

/// What is known of a tensor: its lane and strides always, its address if
/// `ppl.local`, `ppl.global` or `ppl.static` gives one without indices. Where
/// none is known `rootAddress` is that of the tensor it is a view of.
catalog::Tensor describe(mlir::Value tensor, const Chip &chip,
                         std::optional<uint64_t> rootAddress = std::nullopt);

/// A function op with its parts by slot.
class FunctionOp {
public:
  /// Null if `op` is no function of the catalog.
  explicit FunctionOp(mlir::Operation *op);
  explicit operator bool() const { return theFunction != nullptr; }

  mlir::Operation *operation() const { return op; }
  const catalog::Operation &function() const { return *theFunction; }
  /// The tensor in a slot; null if there is none.
  mlir::Value tensor(llvm::StringRef slot) const;
  /// The number or numbers in a slot; null if there are none.
  mlir::Attribute number(llvm::StringRef slot) const;
  /// The whole call, for problemOf and interpret.
  catalog::Call call(const Chip &chip) const;

private:
  mlir::Operation *op = nullptr;
  const catalog::Operation *theFunction = nullptr;
};

/// An argument of `createFunction`: a tensor, an attribute (I64, F64 or
/// DenseI64Array) or, both null, left out.
struct FunctionArgument {
  mlir::Value tensor;
  mlir::Attribute number;
};

/// Makes the op of `function` with one argument a slot; trailing ones may be
/// missing.
mlir::Operation *createFunction(mlir::OpBuilder &builder, mlir::Location loc,
                                const catalog::Operation &function,
                                llvm::ArrayRef<FunctionArgument> arguments);

} // namespace weft::ppl

#endif // WEFT_DIALECTS_PPL_FUNCTION_H
