//===- Binary.cpp - top ops of the Binary family
//--------------------------------===//

#include "dialects/top/Binary.h"

#include "dialects/top/KindTypes.h"

#include <cmath>

using namespace mlir;
using namespace weft::top;
using namespace weft;

#define WEFT_REGISTER TopDialect::registerBinary
#define WEFT_OPS "dialects/top/Binary.cpp.inc"
#include "dialects/OpDefinitions.inc"

FailureOr<RankedTensorType>
BinaryOp::resultTypeOf(Adaptor adaptor, std::optional<Location> location) {
  const BinaryKindRow &row = binaryKindRow(adaptor.getKind());
  auto lhs = dyn_cast<RankedTensorType>(adaptor.getLhs().getType());
  auto rhs = dyn_cast<RankedTensorType>(adaptor.getRhs().getType());
  if (!lhs || !rhs)
    return emitOptionalError(location, row.spelling,
                             " needs tensors of known rank");
  Type element = lhs.getElementType();
  if (!accepts(row.types, element)) // (C1)
    return emitOptionalError(location, row.spelling,
                             " does not take elements of type ", element,
                             "; cast the operands");
  bool mixed =
      row.kind == BinaryKind::Pow && accepts(row.types, rhs.getElementType());
  if (rhs.getElementType() != element && !mixed) // (C2)
    return emitOptionalError(location, row.spelling, " of ", element, " and ",
                             rhs.getElementType(),
                             "; both operands must have one element type");
  auto shape = broadcastShapes(lhs.getShape(), rhs.getShape());
  if (!shape) // (C3)
    return emitOptionalError(location, "shapes ", shapeText(lhs.getShape()),
                             " and ", shapeText(rhs.getShape()),
                             " do not broadcast; aligned at the last axis, "
                             "sizes must be equal or 1");
  Type result = row.result == KindResult::Bool // (C4)
                    ? Type(IntegerType::get(lhs.getContext(), 1))
                    : element;
  return RankedTensorType::get(*shape, result);
}

LogicalResult BinaryOp::verify() { return success(); }

/// The value that every element of a constant operand has, if it has one.
static std::optional<double> splatValue(Attribute attribute) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(attribute);
  if (!splat)
    return std::nullopt;
  if (isa<FloatType>(splat.getElementType()))
    return splat.getSplatValue<APFloat>().convertToDouble();
  return std::nullopt;
}

OpFoldResult BinaryOp::fold(FoldAdaptor adaptor) {
  if (getLhs().getType() != getType())
    return {};
  std::optional<double> rhs = splatValue(adaptor.getRhs());
  if (!rhs)
    return {};
  // x + 0 is not folded: -0.0 + 0.0 is 0.0. x - 0.0, x * 1 and x / 1 keep every
  // bit.
  BinaryKind kind = getKind();
  if ((kind == BinaryKind::Mul || kind == BinaryKind::Div) && *rhs == 1.0)
    return getLhs();
  if (kind == BinaryKind::Sub && *rhs == 0.0 && !std::signbit(*rhs))
    return getLhs();
  return {};
}
