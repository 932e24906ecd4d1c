//===- Binary.cpp - top ops of the Binary family
//--------------------------------===//

#include "dialects/top/Binary.h"

#include "dialects/TensorValues.h"
#include "dialects/top/KindFunctions.h"
#include "dialects/top/KindTypes.h"

#include <cmath>

using namespace mlir;
using namespace weft::top;
using namespace weft;
using weft::numeric::HostTensor;

void TopDialect::registerBinary() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Binary.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Binary.cpp.inc"

LogicalResult BinaryOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
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
                    ? Type(IntegerType::get(context, 1))
                    : element;
  types.push_back(RankedTensorType::get(*shape, result));
  return success();
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

/// Steps in elements of each axis of `shape` inside a broadcast result; 0 where
/// it repeats.
static SmallVector<int64_t> broadcastSteps(ArrayRef<int64_t> shape,
                                           ArrayRef<int64_t> result) {
  SmallVector<int64_t> steps(result.size(), 0);
  int64_t step = 1;
  for (size_t i = 1; i <= shape.size(); ++i) {
    int64_t size = shape[shape.size() - i];
    steps[result.size() - i] = size == 1 ? 0 : step;
    step *= size;
  }
  return steps;
}

/// Calls row(output offset, lhs offset, rhs offset) for each innermost row of
/// the result.
static void forEachRow(ArrayRef<int64_t> shape, ArrayRef<int64_t> lhsSteps,
                       ArrayRef<int64_t> rhsSteps,
                       function_ref<void(int64_t, int64_t, int64_t)> row) {
  int64_t rows = 1, width = shape.empty() ? 1 : shape.back();
  for (int64_t size : shape.empty() ? shape : shape.drop_back())
    rows *= size;
  if (width == 0)
    return;
  for (int64_t i = 0; i < rows; ++i) {
    int64_t rest = i, lhs = 0, rhs = 0;
    for (int64_t axis = int64_t(shape.size()) - 2; axis >= 0; --axis) {
      int64_t index = rest % shape[axis];
      rest /= shape[axis];
      lhs += index * lhsSteps[axis];
      rhs += index * rhsSteps[axis];
    }
    row(i * width, lhs, rhs);
  }
}

/// output[i] = function(lhs[i], rhs[i]) with broadcasting.
template <typename Out, typename T, typename Function>
static std::vector<Out>
applyBroadcast(const std::vector<T> &lhs, ArrayRef<int64_t> lhsShape,
               const std::vector<T> &rhs, ArrayRef<int64_t> rhsShape,
               ArrayRef<int64_t> shape, int64_t count, Function function) {
  std::vector<Out> output(count);
  SmallVector<int64_t> lhsSteps = broadcastSteps(lhsShape, shape);
  SmallVector<int64_t> rhsSteps = broadcastSteps(rhsShape, shape);
  int64_t width = shape.empty() ? 1 : shape.back();
  int64_t lhsStep = shape.empty() ? 0 : lhsSteps.back();
  int64_t rhsStep = shape.empty() ? 0 : rhsSteps.back();
  forEachRow(
      shape, lhsSteps, rhsSteps, [&](int64_t to, int64_t left, int64_t right) {
        for (int64_t x = 0; x < width; ++x)
          output[to + x] =
              function(lhs[left + x * lhsStep], rhs[right + x * rhsStep]);
      });
  return output;
}

LogicalResult BinaryOp::evaluate(ArrayRef<const HostTensor *> operands,
                                 SmallVectorImpl<HostTensor> &results) {
  const HostTensor &lhs = *operands[0], &rhs = *operands[1];
  HostTensor &output = results.emplace_back(*makeHostTensor(getType()));
  BinaryKind kind = getKind();
  // A power may mix types; one float operand makes it a float computation.
  if (numeric::isFloatType(lhs.type()) || numeric::isFloatType(rhs.type())) {
    storeDoubles(applyBroadcast<double>(loadDoubles(lhs), lhs.shape(),
                                        loadDoubles(rhs), rhs.shape(),
                                        output.shape(), output.elements(),
                                        binaryFunction(kind)),
                 output);
    return success();
  }
  auto function = [&](int64_t x, int64_t y) {
    return binaryInteger(kind, lhs.type(), x, y);
  };
  storeIntegers(applyBroadcast<int64_t>(
                    loadIntegers(lhs), lhs.shape(), loadIntegers(rhs),
                    rhs.shape(), output.shape(), output.elements(), function),
                output);
  return success();
}
