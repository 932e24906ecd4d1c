//===- Reduce.cpp - top ops of the Reduce family --------------------------===//

#include "dialects/top/Reduce.h"

using namespace mlir;
using namespace weft::top;
using namespace weft;

#define WEFT_REGISTER TopDialect::registerReduce
#define WEFT_OPS "dialects/top/Reduce.cpp.inc"
#include "dialects/OpDefinitions.inc"

FailureOr<RankedTensorType>
ReduceOp::resultTypeOf(Adaptor adaptor, std::optional<Location> location) {
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> axes = adaptor.getAxes();
  bool ordered = std::adjacent_find(axes.begin(), axes.end(),
                                    std::greater_equal<>()) == axes.end();
  if (!input || !ordered ||
      (!axes.empty() &&
       (axes.front() < 0 || axes.back() >= input.getRank()))) // (C1)
    return emitOptionalError(location, "reduction of ",
                             adaptor.getInput().getType(),
                             "; its axes must ascend within 0 .. rank-1");
  bool sums = adaptor.getKind() == ReduceKind::Sum ||
              adaptor.getKind() == ReduceKind::Prod;
  if (sums && input.getElementType().isInteger(1)) // (C2)
    return emitOptionalError(location, stringifyReduceKind(adaptor.getKind()),
                             " of bools; cast them to numbers");
  SmallVector<int64_t> shape;
  for (auto [axis, size] : llvm::enumerate(input.getShape()))
    if (!llvm::is_contained(axes, int64_t(axis)))
      shape.push_back(size);
    else if (adaptor.getKeepdims())
      shape.push_back(1);
  return RankedTensorType::get(shape, input.getElementType());
}

/// (C1) of the ops with one axis.
static LogicalResult checkAxis(std::optional<Location> location,
                               RankedTensorType input, int64_t axis) {
  if (input && axis >= 0 && axis < input.getRank())
    return success();
  return emitOptionalError(location, "axis ", axis, " of ", input,
                           "; it must be in 0 .. rank-1");
}

FailureOr<RankedTensorType>
ArgReduceOp::resultTypeOf(Adaptor adaptor, std::optional<Location> location) {
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  int64_t axis = adaptor.getAxisAttr().getInt();
  if (failed(checkAxis(location, input, axis)))
    return failure();
  if (input.getDimSize(axis) == 0) // (C1)
    return emitOptionalError(location, "index of an extreme value along axis ",
                             axis, " of ", input, ", which has no elements");
  if (adaptor.getKind() != ReduceKind::Max &&
      adaptor.getKind() != ReduceKind::Min) // (C2)
    return emitOptionalError(location, "an index needs the kind max or min");
  SmallVector<int64_t> shape(input.getShape());
  if (adaptor.getKeepdims())
    shape[axis] = 1;
  else
    shape.erase(shape.begin() + axis);
  return RankedTensorType::get(shape, IntegerType::get(input.getContext(), 64));
}

FailureOr<RankedTensorType>
CumulativeOp::resultTypeOf(Adaptor adaptor, std::optional<Location> location) {
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  if (failed(checkAxis(location, input, adaptor.getAxisAttr().getInt())))
    return failure();
  if (adaptor.getKind() != ReduceKind::Sum &&
      adaptor.getKind() != ReduceKind::Prod) // (C2)
    return emitOptionalError(location, "running values need sum or prod");
  return input;
}
