//===- Top.h - the top dialect --------------------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_TOP_H
#define WEFT_DIALECTS_TOP_TOP_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Evaluate.h"
#include "dialects/top/Kinds.h"
#include "dialects/top/TopDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/top/TopTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/top/TopAttrs.h.inc"

namespace weft::top {

using weft::kNameAttr;
using weft::kValueAttr;
/// Module attribute: the name of the ONNX graph.
inline constexpr llvm::StringLiteral kModelNameAttr = "top.model_name";

/// True for the element types a top tensor may have (ONNX numbers and bool).
bool isTopElementType(mlir::Type type);
/// The element type that holds `type`; null for complex numbers.
mlir::Type elementTypeFor(numeric::ElementType type,
                          mlir::MLIRContext *context);
/// True for a ranked tensor of static shape with such an element type.
bool isTopTensor(mlir::Type type);

/// The same, or with unknown sizes that its encoding bounds (HostCall.h).
bool isBoundedTopTensor(mlir::Type type);

/// Builds an op with an inferred result type, or reports at `location` why its
/// operands and attributes do not fit together and builds nothing. `args` are
/// those of the generated builder after the result type. Prefer this to
/// `builder.create` wherever the operands come from a user: a generated builder
/// ends the program when inference fails.
template <typename OpT, typename... Args>
mlir::FailureOr<OpT> createChecked(mlir::OpBuilder &builder,
                                   mlir::Location location, Args &&...args) {
  mlir::OperationState state(location, OpT::getOperationName());
  OpT::build(builder, state, mlir::Type(builder.getNoneType()),
             std::forward<Args>(args)...);
  state.types.clear();
  mlir::MLIRContext *context = builder.getContext();
  if (failed(OpT::inferReturnTypes(context, location, state.operands,
                                   state.attributes.getDictionary(context),
                                   state.getRawProperties(),
                                   mlir::RegionRange(), state.types)))
    return mlir::failure();
  return mlir::cast<OpT>(builder.create(state));
}

/// The numpy broadcast of two shapes; std::nullopt if two aligned axes differ
/// and neither is 1.
std::optional<llvm::SmallVector<int64_t>>
broadcastShapes(llvm::ArrayRef<int64_t> lhs, llvm::ArrayRef<int64_t> rhs);

/// "1x3x48x192", "scalar" for an empty shape; for messages.
std::string shapeText(llvm::ArrayRef<int64_t> shape);

} // namespace weft::top

#endif // WEFT_DIALECTS_TOP_TOP_H
