//===- Select.cpp - top ops of the Select family --------------------------===//

#include "dialects/top/Select.h"

using namespace mlir;
using namespace weft::top;

#define WEFT_REGISTER TopDialect::registerSelect
#define WEFT_OPS "dialects/top/Select.cpp.inc"
#include "dialects/OpDefinitions.inc"

FailureOr<RankedTensorType>
SelectOp::resultTypeOf(Adaptor adaptor, std::optional<Location> location) {
  auto condition = dyn_cast<RankedTensorType>(adaptor.getCondition().getType());
  auto onTrue = dyn_cast<RankedTensorType>(adaptor.getOnTrue().getType());
  auto onFalse = dyn_cast<RankedTensorType>(adaptor.getOnFalse().getType());
  if (!condition || !onTrue || !onFalse)
    return emitOptionalError(location, "select needs tensors of known rank");
  if (!condition.getElementType().isInteger(1)) // (C1)
    return emitOptionalError(location, "select by a condition of type ",
                             condition.getElementType(), ", must be bool");
  if (onTrue.getElementType() != onFalse.getElementType()) // (C2)
    return emitOptionalError(
        location, "select between ", onTrue.getElementType(), " and ",
        onFalse.getElementType(), "; both must have one element type");
  auto shape = broadcastShapes(onTrue.getShape(), onFalse.getShape());
  if (shape)
    shape = broadcastShapes(condition.getShape(), *shape);
  if (!shape) // (C3)
    return emitOptionalError(
        location, "shapes ", shapeText(condition.getShape()), ", ",
        shapeText(onTrue.getShape()), " and ", shapeText(onFalse.getShape()),
        " do not broadcast; aligned at the last axis, sizes must be equal or "
        "1");
  return RankedTensorType::get(*shape, onTrue.getElementType());
}

/// A constant condition that is the same everywhere chooses once.
OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  auto condition =
      dyn_cast_if_present<SplatElementsAttr>(adaptor.getCondition());
  if (!condition)
    return getOnTrue() == getOnFalse() && getOnTrue().getType() == getType()
               ? OpFoldResult(getOnTrue())
               : OpFoldResult();
  Value chosen = condition.getSplatValue<bool>() ? getOnTrue() : getOnFalse();
  return chosen.getType() == getType() ? OpFoldResult(chosen) : OpFoldResult();
}
