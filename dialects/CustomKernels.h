//===- CustomKernels.h - operators that plugins bring -----------*- C++ -*-===//

#ifndef WEFT_DIALECTS_CUSTOMKERNELS_H
#define WEFT_DIALECTS_CUSTOMKERNELS_H

#include "runtime/numeric/HostTensor.h"
#include "runtime/status/Status.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace weft {

struct Chip;

/// The domain of operators that the compiler brings itself, by kernels of the
/// library in examples/kernels.
inline constexpr llvm::StringLiteral kLibraryDomain = "weft";

/// A kernel of the library for one call.
struct LibraryKernel {
  llvm::StringRef name; ///< of its operator in `kLibraryDomain`
  uint64_t cycles;      ///< predicted
};

/// An operator as a node names it: `top.custom`, `tpu.custom` and `ppl.custom`
/// carry these attributes.
struct CustomOperator {
  llvm::StringRef domain, name;
  int64_t opset = 0;
  /// Integers, floats, texts and their arrays, by ONNX's names.
  mlir::DictionaryAttr parameters;
  /// Inputs of the node that are left out, ascending.
  llvm::ArrayRef<int64_t> absent;
};

/// The operator of an op with these attributes.
template <typename OpT>
CustomOperator customOperatorOf(OpT op) {
  return {op.getDomain(), op.getName(), int64_t(op.getOpset()),
          op.getParameters(),
          op.getAbsent().value_or(llvm::ArrayRef<int64_t>())};
}

/// Verifies the types that `tensors` have in the ONNX graph: one for each,
/// static, and such that it has the elements of the tensor's own type
/// (`hasElementsOf`). `what` the tensors are: "inputs".
mlir::LogicalResult verifyOnnxTypes(
    mlir::Operation *op, mlir::ArrayAttr types, mlir::TypeRange tensors,
    llvm::StringRef what,
    llvm::function_ref<bool(mlir::RankedTensorType, mlir::Type)> hasElementsOf);

/// What ops know of the plugins that are loaded. An interface of the top
/// dialect; tools/driver attaches it where plugins are given.
class CustomKernels : public mlir::DialectInterface::Base<CustomKernels> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CustomKernels)
  explicit CustomKernels(mlir::Dialect *dialect) : Base(dialect) {}

  /// The operator's float reference: floats are f32, integers as the node has
  /// them. `results` have their types and shapes. The reason if it fails.
  virtual rt::Status
  evaluate(const CustomOperator &custom,
           llvm::ArrayRef<const numeric::HostTensor *> operands,
           llvm::MutableArrayRef<numeric::HostTensor> results) const = 0;

  /// The kernels of the library that compute on `chip` what the host's `kernel`
  /// does with operands and results of these types (those of the graph, in
  /// element types of the chip), the cheapest first.
  virtual std::vector<LibraryKernel>
  libraryKernels(llvm::StringRef kernel, mlir::DictionaryAttr parameters,
                 const Chip &chip,
                 llvm::ArrayRef<mlir::RankedTensorType> operands,
                 llvm::ArrayRef<mlir::RankedTensorType> results) const = 0;
  /// Whether there is a kernel for some calls of the host's `kernel`.
  virtual bool hasLibraryKernel(llvm::StringRef kernel) const = 0;
};

/// What is attached to `context`; null if nothing is.
const CustomKernels *customKernelsOf(mlir::MLIRContext *context);

/// Evaluates an op of a custom operator; types and shapes are those that the
/// ONNX graph has at this point. Floats are converted to f32 and back.
mlir::LogicalResult
evaluateCustom(mlir::Operation *op, const CustomOperator &custom,
               llvm::ArrayRef<const numeric::HostTensor *> operands,
               llvm::ArrayRef<mlir::RankedTensorType> operandTypes,
               llvm::ArrayRef<mlir::RankedTensorType> resultTypes,
               llvm::SmallVectorImpl<numeric::HostTensor> &results);

} // namespace weft

#endif // WEFT_DIALECTS_CUSTOMKERNELS_H
