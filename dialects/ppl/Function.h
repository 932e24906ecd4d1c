//===- Function.h - the functions of PPL as ops ---------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_PPL_FUNCTION_H
#define WEFT_DIALECTS_PPL_FUNCTION_H

#include "dialects/catalog/FunctionOps.h"
#include "dialects/ppl/TensorLayout.h"

/// The functions of PPL's set of runtime/catalog as ops of this dialect, see
/// dialects/catalog/FunctionOps.h. `--ppl-expand` turns them into commands.
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
class FunctionOp : public catalog::FunctionOp {
public:
  /// Null if `op` is no function of PPL.
  explicit FunctionOp(mlir::Operation *op);

  /// The tensor in a slot; null if there is none.
  mlir::Value tensor(llvm::StringRef slot) const { return value(slot); }
  /// The number or numbers in a slot; null if there are none.
  mlir::Attribute number(llvm::StringRef slot) const { return attribute(slot); }
};

using catalog::createFunction;
using catalog::FunctionArgument;

} // namespace weft::ppl

#endif // WEFT_DIALECTS_PPL_FUNCTION_H
