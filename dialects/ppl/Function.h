//===- Function.h - the functions of PPL as ops ---------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_PPL_FUNCTION_H
#define WEFT_DIALECTS_PPL_FUNCTION_H

#include "dialects/catalog/FunctionOps.h"
#include "dialects/ppl/TensorLayout.h"
#include "runtime/status/Status.h"

/// The functions of PPL's set of runtime/catalog as ops of this dialect, see
/// dialects/catalog/FunctionOps.h. codegen/encode makes their commands.
namespace weft::ppl {

/// Where the scratch memory of a function lies that needs any: an array of i64,
/// one address for each catalog::ScratchBuffer of its commands. Set by
/// `--ppl-allocate`.
inline constexpr llvm::StringLiteral kScratchAddresses = "ppl.scratch";

/// On functions between parallel_start and parallel_end of the kernel language:
/// the number of the region (I64).
inline constexpr llvm::StringLiteral kParallelRegion = "ppl.parallel";

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
  /// The call that is encoded: without the results that the kernel language
  /// made room for and nobody reads.
  catalog::Call encodedCall(const Chip &chip) const;
};

/// Reports at `op` why its function has no commands.
mlir::LogicalResult reportRefusal(mlir::Operation *op, const rt::Status &why);

using catalog::createFunction;
using catalog::FunctionArgument;

} // namespace weft::ppl

#endif // WEFT_DIALECTS_PPL_FUNCTION_H
