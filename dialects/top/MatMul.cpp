//===- MatMul.cpp - top ops of the MatMul family
//--------------------------------===//

#include "dialects/top/MatMul.h"

using namespace mlir;
using namespace weft::top;
using namespace weft;

#define WEFT_REGISTER TopDialect::registerMatMul
#define WEFT_OPS "dialects/top/MatMul.cpp.inc"
#include "dialects/OpDefinitions.inc"

FailureOr<RankedTensorType>
MatMulOp::resultTypeOf(Adaptor adaptor, std::optional<Location> location) {
  auto lhs = dyn_cast<RankedTensorType>(adaptor.getLhs().getType());
  auto rhs = dyn_cast<RankedTensorType>(adaptor.getRhs().getType());
  if (!lhs || !rhs || lhs.getRank() < 1 || rhs.getRank() < 1) // (C1)
    return emitOptionalError(
        location, "matrix product of ", adaptor.getLhs().getType(), " and ",
        adaptor.getRhs().getType(), "; both operands must have rank >= 1");
  bool isNarrow =
      lhs.getElementType().isInteger(8) && rhs.getElementType().isInteger(8);
  bool isSame = lhs.getElementType() == rhs.getElementType() &&
                !lhs.getElementType().isInteger(1);
  if (!isNarrow && !isSame) // (C4)
    return emitOptionalError(
        location, "matrix product of ", lhs.getElementType(), " and ",
        rhs.getElementType(),
        "; both operands must have one element type, or 8-bit integers");
  SmallVector<int64_t> left(lhs.getShape()), right(rhs.getShape());
  if (left.size() == 1)
    left.insert(left.begin(), 1);
  if (right.size() == 1)
    right.push_back(1);
  if (left.back() != right[right.size() - 2]) // (C2)
    return emitOptionalError(
        location, "matrix product of shapes ", shapeText(lhs.getShape()),
        " and ", shapeText(rhs.getShape()), "; the inner sizes ", left.back(),
        " and ", right[right.size() - 2], " must be equal");
  auto shape = broadcastShapes(ArrayRef(left).drop_back(2),
                               ArrayRef(right).drop_back(2));
  if (!shape) // (C3)
    return emitOptionalError(location, "matrix product of shapes ",
                             shapeText(lhs.getShape()), " and ",
                             shapeText(rhs.getShape()),
                             "; the leading axes do not broadcast");
  if (lhs.getRank() > 1)
    shape->push_back(left[left.size() - 2]);
  if (rhs.getRank() > 1)
    shape->push_back(right.back());
  Type element =
      isNarrow ? IntegerType::get(lhs.getContext(), 32) : lhs.getElementType();
  return RankedTensorType::get(*shape, element);
}
