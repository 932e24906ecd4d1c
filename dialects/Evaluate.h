//===- Evaluate.h - computing ops and graphs on host tensors ----*- C++ -*-===//

#ifndef WEFT_DIALECTS_EVALUATE_H
#define WEFT_DIALECTS_EVALUATE_H

#include "dialects/HostCall.h"
#include "runtime/numeric/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>
#include <map>
#include <string>

#include "dialects/EvaluateInterface.h.inc"
#include "dialects/EvaluateTypes.h.inc"

namespace weft {

/// Discardable attribute on an op of `top` and `tpu`: the ONNX value name(s)
/// its result(s) stand for.
inline constexpr llvm::StringLiteral kValueAttr = "top.value";
/// Function argument/result attribute: the ONNX name of an input or output.
inline constexpr llvm::StringLiteral kNameAttr = "top.name";

/// The name of the first ONNX node that `location` stands for; "" for none.
std::string nodeNameOf(mlir::Location location);

/// The host type that stores elements of `type`: floats and integers as they
/// are, i1 as Bool, a quantized type as its storage type, others by their
/// HostTypeInterface. std::nullopt for any
/// other type.
std::optional<numeric::ElementType> hostElementType(mlir::Type type);

/// A zero-filled tensor for a value of tensor type `type`; fails (silently) if
/// the type has no static shape or no host element type.
mlir::FailureOr<numeric::HostTensor> makeHostTensor(mlir::Type type);

/// The values of a constant attribute (dense, splat or dense_resource). Fails
/// with a message at `location` if the bytes are missing or do not match the
/// type.
mlir::FailureOr<numeric::HostTensor> toHostTensor(mlir::ElementsAttr value,
                                                  mlir::Location location);

/// The attribute for a tensor: `dense` for up to 1024 elements and for bools,
/// else `dense_resource` named after `name`. `type` must have the tensor's
/// shape and host type.
mlir::ElementsAttr toElementsAttr(numeric::HostTensor tensor,
                                  mlir::RankedTensorType type,
                                  llvm::StringRef name);

/// Called with every value that carries an ONNX value name (attribute
/// `top.value`), in program order. The tensor lives until the call returns.
using ValueObserver =
    llvm::function_ref<void(llvm::StringRef name, const numeric::HostTensor &)>;

/// Values of a graph while it is evaluated.
using ValueTensors = llvm::DenseMap<mlir::Value, numeric::HostTensor>;

/// Computes some ops in place of their own evaluators, faster and less exactly.
/// Whoever wants the exact values (constant folding) gives none.
class OpAccelerator {
public:
  virtual ~OpAccelerator() = default;
  /// Appends one tensor a result of `op` and returns true; or returns false,
  /// and the op's own evaluator computes them. `op` outlives the accelerator
  /// unchanged. May be called by several threads at once.
  virtual bool
  evaluate(mlir::Operation *op,
           llvm::ArrayRef<const numeric::HostTensor *> operands,
           llvm::SmallVectorImpl<numeric::HostTensor> &results) = 0;
};

/// Called as ValueObserver is, and after it. What it leaves in the tensor,
/// whose type and shape it keeps, is what later ops read.
using ValueReplacer =
    std::function<void(llvm::StringRef name, numeric::HostTensor &)>;

/// What repeated evaluations share.
struct EvaluationAids {
  OpAccelerator *accelerator = nullptr;
  /// Results of ops without operands that need not be computed again.
  const ValueTensors *constants = nullptr;
  /// Null: every op reads what the ops before it gave.
  ValueReplacer replace = nullptr;
};

/// Evaluates the ops of `block` that have no operands into `constants`.
mlir::LogicalResult evaluateConstants(mlir::Block &block,
                                      ValueTensors &constants);

/// Evaluates the ops of `block` but its terminator, reading and adding
/// `values`. A tensor is dropped after its last use inside the block unless the
/// terminator uses it. Ops without EvaluateOpInterface are an error at their
/// location.
mlir::LogicalResult evaluateBlock(mlir::Block &block, ValueTensors &values,
                                  ValueObserver observe = nullptr,
                                  const EvaluationAids &aids = {});

/// Runs `function` on one tensor an argument; checks their shapes and types
/// against it.
mlir::LogicalResult evaluateFunction(
    mlir::func::FuncOp function, llvm::ArrayRef<numeric::HostTensor> inputs,
    llvm::SmallVectorImpl<numeric::HostTensor> &outputs,
    ValueObserver observe = nullptr, const EvaluationAids &aids = {});

/// Tensors by ONNX name.
using NamedTensors = std::map<std::string, numeric::HostTensor>;

/// The same by the ONNX names in the argument and result attributes `top.name`.
/// Every argument must be among `inputs`; other entries are an error too.
mlir::LogicalResult evaluateNamed(mlir::func::FuncOp function,
                                  const NamedTensors &inputs,
                                  NamedTensors &outputs,
                                  ValueObserver observe = nullptr,
                                  const EvaluationAids &aids = {});

} // namespace weft

#endif // WEFT_DIALECTS_EVALUATE_H
