//===- Binary.cpp - functions of two operands to tpu ----------------------===//

#include "dialects/top/Binary.h"

#include "dialects/top/Unary.h"
#include "dialects/tpu/Binary.h"
#include "passes/quantize/Broadcast.h"
#include "passes/quantize/Lowering.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static int64_t elementsOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

/// The number that the constant `topValue` of one element is, exactly;
/// std::nullopt if it is computed, has more elements, or does not fit the
/// element type in which the chip holds it.
static std::optional<double> scalarOf(Value topValue, Lowering &lowering) {
  if (lowering.firstForm(topValue) || elementsOf(topValue) != 1)
    return std::nullopt;
  if (std::optional<FloatConstant> floats = lowering.constantOf(topValue))
    return floats->values[0];
  std::optional<std::vector<int64_t>> integers = lowering.integersOf(topValue);
  if (!integers)
    return std::nullopt;
  bool isUnsigned = storedElement(topElement(topValue)).isUnsignedInteger();
  int64_t number = integers->front();
  bool fits = isUnsigned ? number >= 0 && number <= UINT32_MAX
                         : number >= INT32_MIN && number <= INT32_MAX;
  return fits ? std::optional<double>(number) : std::nullopt;
}

static bool hasKind(StringRef name) {
  std::optional<tpu::BinaryKind> kind = tpu::symbolizeBinaryKind(name);
  return kind && *kind <= tpu::BinaryKind::Min;
}

static LogicalResult lowerBinary(top::BinaryOp op, Lowering &lowering) {
  StringRef name = top::stringifyBinaryKind(op.getKind());
  std::optional<tpu::BinaryKind> kind = tpu::symbolizeBinaryKind(name);
  if (!kind || !hasKind(name))
    return unsupported(op)
           << "element-wise function '" << name
           << "' of two tensors; build it from add, sub, mul, div, max and min";
  OpBuilder &b = lowering.builder;
  Type onnx = topElement(op.getLhs());
  bool isFloat = isa<FloatType>(onnx);
  if (!isFloat && *kind == tpu::BinaryKind::Div)
    return unsupported(op) << "a quotient of integers; cast them to floats";
  std::optional<double> left = scalarOf(op.getLhs(), lowering),
                        right = scalarOf(op.getRhs(), lowering);
  if (!lowering.firstForm(op.getLhs()) && !lowering.firstForm(op.getRhs()))
    return unsupported(op)
           << "a function of two constants; fold constants first (--top-fold)";
  // A quotient is a Newton iteration on the machine, which only f32 carries far
  // enough.
  Type element = *kind == tpu::BinaryKind::Div && !right
                     ? lowering.f32()
                     : lowering.elementwiseType(op->getOperands());
  Value lhs, rhs;
  FloatAttr constant;
  bool reversed = false;
  SmallVector<int64_t, 4> outputShape;
  Value other = right ? op.getLhs() : op.getRhs();
  // A constant with one element is a number of the command, unless it would
  // widen the rank.
  if ((left || right) && elementsOf(other) == elementsOf(op.getOutput())) {
    double number = right ? *right : *left;
    if (*kind == tpu::BinaryKind::Div &&
        right) { // x / c = x * (1 / c): one command, at most one more rounding
      kind = tpu::BinaryKind::Mul;
      number = 1 / static_cast<float>(number);
    }
    FailureOr<Value> tensor = lowering.inOwnView(other, element, op);
    if (failed(tensor))
      return failure();
    lhs = *tensor;
    ArrayRef<int64_t> shape = ::shapeOf(lhs);
    outputShape.assign(shape.begin(), shape.end());
    constant = b.getF64FloatAttr(number);
    reversed = left &&
               (*kind == tpu::BinaryKind::Sub || *kind == tpu::BinaryKind::Div);
  } else {
    BroadcastViews views = broadcastViews(
        shapeOf(op.getOutput()), {shapeOf(op.getLhs()), shapeOf(op.getRhs())});
    FailureOr<Value> first =
        broadcastOperand(views, 0, op.getLhs(), element, op, lowering);
    FailureOr<Value> second =
        broadcastOperand(views, 1, op.getRhs(), element, op, lowering);
    if (failed(first) || failed(second))
      return failure();
    lhs = *first;
    rhs = *second;
    outputShape = views.result;
  }
  Value output = op.getOutput();
  Location location = op.getLoc();
  UnitAttr relu;
  top::UnaryOp following =
      isFloat ? lowering.followingRelu(output) : top::UnaryOp();
  if (following) {
    relu = b.getUnitAttr();
    output = following.getOutput();
    location = FusedLoc::get(op.getContext(), {location, following.getLoc()});
    lowering.markTaken(following);
  }
  lowering.define(output,
                  b.create<tpu::BinaryOp>(
                      location, lowering.tensor(outputShape, element),
                      tpu::BinaryKindAttr::get(op.getContext(), *kind), lhs,
                      rhs, constant, reversed ? b.getUnitAttr() : UnitAttr(),
                      relu, DenseI32ArrayAttr(), DenseI32ArrayAttr()));
  return success();
}

void weft::quantize::registerBinaryLowering(LoweringTable &table) {
  table.add<top::BinaryOp>(lowerBinary, hasKind);
}
