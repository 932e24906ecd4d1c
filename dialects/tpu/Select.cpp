//===- Select.cpp - tpu ops of the Select family --------------------------===//

#include "dialects/tpu/Select.h"

#include <cmath>

using namespace mlir;
using namespace weft::tpu;

#define WEFT_REGISTER TpuDialect::registerSelect
#define WEFT_OPS "dialects/tpu/Select.cpp.inc"
#include "dialects/OpDefinitions.inc"

/// A constant beside integers must be one of their numbers.
static LogicalResult verifyConstant(Operation *op, Type element,
                                    FloatAttr constant) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!constant || !integer)
    return success();
  double value = constant.getValueAsDouble();
  auto [low, high] = integerBounds(integer);
  if (!(value >= low && value <= high) || value != std::trunc(value))
    return op->emitOpError("constant is ")
           << value << ", must be a whole number from " << low << " to "
           << high;
  return success();
}

LogicalResult CompareOp::verify() {
  auto lhs = getLhs().getType();
  auto rhs = getRhs() ? getRhs().getType() : lhs;
  if (failed(verifyTwoOperands(*this, getLhs(), getRhs(), getOutput(),
                               getConstant().has_value()))) // (C1), (C2)
    return failure();
  if (lhs.getElementType() != rhs.getElementType() ||
      isQuantized(getLhs())) // (C3)
    return emitOpError(
        "operands must have one element type, a float or an integer");
  return verifyConstant(*this, lhs.getElementType(), getConstantAttr()); // (C4)
}

LogicalResult SelectOp::verify() {
  auto output = getOutput().getType();
  SmallVector<ArrayRef<int64_t>, 3> shapes{getCondition().getType().getShape()};
  for (auto [name, tensor, constant] :
       {std::tuple("true", getOnTrue(), getTrueConstantAttr()),
        std::tuple("false", getOnFalse(), getFalseConstantAttr())}) {
    if (static_cast<bool>(tensor) == static_cast<bool>(constant)) // (C2)
      return emitOpError("needs exactly one of a tensor and a constant for ")
             << name;
    if (tensor &&
        tensor.getType().getElementType() != output.getElementType()) // (C3)
      return emitOpError("the tensor for ")
             << name << " must have the element type of the result";
    if (failed(verifyConstant(*this, output.getElementType(),
                              constant))) // (C4)
      return failure();
    if (tensor)
      shapes.push_back(tensor.getType().getShape());
  }
  if (!isBroadcastOf(shapes, output.getShape())) // (C1)
    return emitOpError(
        "result shape must be the broadcast shape of the operands");
  return success();
}
