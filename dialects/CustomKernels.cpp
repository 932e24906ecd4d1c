//===- CustomKernels.cpp - operators that plugins bring -------------------===//

#include "dialects/CustomKernels.h"

#include "dialects/Evaluate.h"
#include "runtime/host/Convert.h"

#include "mlir/IR/MLIRContext.h"

using namespace mlir;
using namespace weft;
using numeric::HostTensor;

LogicalResult weft::verifyOnnxTypes(
    Operation *op, ArrayAttr types, TypeRange tensors, StringRef what,
    llvm::function_ref<bool(RankedTensorType, Type)> hasElementsOf) {
  if (types.size() != tensors.size())
    return op->emitOpError()
           << "has " << types.size() << " types for " << tensors.size() << " "
           << what << "; give one for each";
  for (auto [given, own] :
       llvm::zip(types.getAsValueRange<TypeAttr>(), tensors)) {
    auto type = dyn_cast<RankedTensorType>(given);
    if (!type || !type.hasStaticShape() || !hasElementsOf(type, own))
      return op->emitOpError() << "gives " << own << " as " << given
                               << "; both must have the same elements";
  }
  return success();
}

const CustomKernels *weft::customKernelsOf(MLIRContext *context) {
  Dialect *top = context->getLoadedDialect("top");
  return top ? top->getRegisteredInterface<CustomKernels>() : nullptr;
}

/// `tensor` in `element` and the shape of `type`; reports at `op`.
static FailureOr<HostTensor> converted(Operation *op, const HostTensor &tensor,
                                       numeric::ElementType element,
                                       ArrayRef<int64_t> shape) {
  rt::Result<HostTensor> result = host::convert(tensor, element);
  if (!result)
    return op->emitError() << result.status().message();
  if (!result->reshape(shape.vec()))
    return op->emitError() << "a tensor of "
                           << numeric::shapeText(tensor.shape())
                           << " has not the elements of "
                           << numeric::shapeText(shape.vec());
  return std::move(*result);
}

/// The element type in which a reference computes `type`.
static std::optional<numeric::ElementType> referenceType(Type type) {
  std::optional<numeric::ElementType> element = hostElementType(type);
  if (element && numeric::isFloatType(*element))
    return numeric::ElementType::F32;
  return element;
}

LogicalResult weft::evaluateCustom(Operation *op, const CustomOperator &custom,
                                   ArrayRef<const HostTensor *> operands,
                                   ArrayRef<RankedTensorType> operandTypes,
                                   ArrayRef<RankedTensorType> resultTypes,
                                   SmallVectorImpl<HostTensor> &results) {
  const CustomKernels *kernels = customKernelsOf(op->getContext());
  if (!kernels)
    return op->emitError() << "operator " << custom.name << " of domain '"
                           << custom.domain
                           << "' belongs to a plugin that is not loaded; give "
                              "it with --plugin";
  std::vector<HostTensor> inputs, outputs;
  for (auto [tensor, type] : llvm::zip(operands, operandTypes)) {
    FailureOr<HostTensor> input = converted(
        op, *tensor, *referenceType(type.getElementType()), type.getShape());
    if (failed(input))
      return failure();
    inputs.push_back(std::move(*input));
  }
  for (RankedTensorType type : resultTypes)
    outputs.emplace_back(*referenceType(type.getElementType()),
                         type.getShape().vec());
  SmallVector<const HostTensor *> pointers;
  for (const HostTensor &input : inputs)
    pointers.push_back(&input);
  if (rt::Status status = kernels->evaluate(custom, pointers, outputs); !status)
    return op->emitError() << status.message();
  for (auto [output, result] : llvm::zip(outputs, op->getResults())) {
    auto type = cast<RankedTensorType>(result.getType());
    FailureOr<HostTensor> value = converted(
        op, output, *hostElementType(type.getElementType()), type.getShape());
    if (failed(value))
      return failure();
    results.push_back(std::move(*value));
  }
  return success();
}
