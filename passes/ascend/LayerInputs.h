//===- LayerInputs.h - plans for the layers of a graph ----------*- C++ -*-===//

#ifndef WEFT_PASSES_ASCEND_LAYERINPUTS_H
#define WEFT_PASSES_ASCEND_LAYERINPUTS_H

#include "runtime/ascend/InputPlan.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace weft::ascend {

/// Element types of inputs, as named on the command line.
struct InputType {
  llvm::StringRef name; ///< "f16", "bf16", "int8", "f32"
  int64_t bytes;
  mlir::Type type(mlir::MLIRContext *context) const;
};
/// nullptr for another word; `inputTypeNames` is for the message.
const InputType *findInputType(llvm::StringRef name);
std::string inputTypeNames();

/// An input of a convolution or a matrix product with its plan.
struct LayerInput {
  mlir::Operation *layer = nullptr;
  unsigned operand = 0;
  size_t layerIndex = 0; ///< among these layers
  std::string role;      ///< "input", "filter", "lhs", "rhs"
  /// The ONNX value that the layer makes, else the ONNX node it is a part of.
  std::string layerName;
  /// The ONNX value that is moved or that it is made of, else the node that
  /// makes it; empty: not known, as for constants that were folded.
  std::string valueName;
  /// The elements are 8-bit integers, perhaps centered and scaled to floats.
  bool isFromInt8 = false;
  bool isConstant = false;
  int64_t joinedGroups = 1; ///< of InputPlans
  InputPlan plan;
};

/// Plans every top.conv and top.matmul of the module in order; `groups` of
/// convolutions with a constant filter, which can be prepared, else they stay
/// separate. Emits an error at a layer that cannot be planned, and fails.
mlir::FailureOr<std::vector<LayerInput>>
planLayerInputs(mlir::ModuleOp module, const InputType &type,
                const CubeMemory &memory, Groups groups = Groups::Joined);

} // namespace weft::ascend

#endif // WEFT_PASSES_ASCEND_LAYERINPUTS_H
