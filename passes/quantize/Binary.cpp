//===- Binary.cpp - functions of two operands to tpu ----------------------===//

#include "dialects/top/Binary.h"

#include "dialects/top/Unary.h"
#include "dialects/tpu/Binary.h"
#include "passes/quantize/Lowering.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// The folded shape of an operand of shape `shape` in a broadcast of rank
/// `rank`: leading axes of size 1 are added first.
static SmallVector<int64_t, 4> broadcastShape(ArrayRef<int64_t> shape,
                                              size_t rank) {
  SmallVector<int64_t, 4> padded(rank - shape.size(), 1);
  padded.append(shape.begin(), shape.end());
  return *foldShape(padded);
}

/// `values` of a tensor of shape `shape` (one channel) once for each of
/// `channels`; `shape` becomes the new one.
static std::vector<float> repeatChannel(ArrayRef<float> values,
                                        SmallVectorImpl<int64_t> &shape,
                                        int64_t channels) {
  std::vector<float> repeated;
  int64_t plane = shape[2] * shape[3];
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t c = 0; c < channels; ++c)
      repeated.insert(repeated.end(), values.begin() + n * plane,
                      values.begin() + (n + 1) * plane);
  shape[1] = channels;
  return repeated;
}

/// A tensor operand of the operation, in `element` and with the shape that
/// broadcasts: a weight if it is constant.
static FailureOr<Value> tensorOperand(Value operand, top::BinaryOp op,
                                      Type element, Lowering &lowering) {
  size_t rank = cast<RankedTensorType>(op.getOutput().getType()).getRank();
  SmallVector<int64_t, 4> shape = broadcastShape(
      cast<RankedTensorType>(operand.getType()).getShape(), rank);
  // Channels lie in different lanes, which a command cannot read across.
  int64_t channels = lowering.shapeOf(op.getOutput())[1];
  bool repeats = shape[1] == 1 && channels > 1;
  if (std::optional<FloatConstant> constant = lowering.constantOf(operand)) {
    if (repeats)
      constant->values = repeatChannel(constant->values, shape, channels);
    return lowering.floatWeight(op.getLoc(), shape, element, constant->values);
  }
  if (repeats)
    return unsupported(op) << "operand '" << valueName(operand)
                           << "' has 1 channel and the "
                           << "result " << channels
                           << "; a computed value cannot repeat along "
                              "channels; join copies of it by a Concat";
  return lowering.reshaped(op.getLoc(), lowering.inFloat(operand, element),
                           shape);
}

static LogicalResult lowerBinary(top::BinaryOp op, Lowering &lowering) {
  StringRef name = top::stringifyBinaryKind(op.getKind());
  std::optional<tpu::BinaryKind> kind = tpu::symbolizeBinaryKind(name);
  if (!kind)
    return unsupported(op)
           << "element-wise function '" << name
           << "' of two tensors; build it from add, sub, mul, div, max and min";
  OpBuilder &b = lowering.builder;
  std::optional<FloatConstant> left = lowering.constantOf(op.getLhs()),
                               right = lowering.constantOf(op.getRhs());
  if (left && right)
    return unsupported(op)
           << "a function of two constants; fold constants first (--top-fold)";
  // A quotient is a Newton iteration on the machine, which only f32 carries far
  // enough.
  Type element = *kind == tpu::BinaryKind::Div && !(right && right->isScalar())
                     ? lowering.f32()
                     : lowering.elementwiseType(op->getOperands());
  SmallVector<int64_t, 4> outputShape = lowering.shapeOf(op.getOutput());
  Value lhs, rhs;
  FloatAttr constant;
  bool reversed = false;
  const std::optional<FloatConstant> &number = right ? right : left;
  Value other = right ? op.getLhs() : op.getRhs();
  // A constant with one element is a number of the command, unless it would
  // widen the rank.
  if (number && number->isScalar() && lowering.shapeOf(other) == outputShape) {
    double value = number->values[0];
    if (*kind == tpu::BinaryKind::Div &&
        right) { // x / c = x * (1 / c): one command, at most one more rounding
      kind = tpu::BinaryKind::Mul;
      value = 1 / value;
    }
    lhs = lowering.inFloat(other, element);
    constant = b.getF64FloatAttr(value);
    reversed = left &&
               (*kind == tpu::BinaryKind::Sub || *kind == tpu::BinaryKind::Div);
  } else {
    FailureOr<Value> first = tensorOperand(op.getLhs(), op, element, lowering);
    FailureOr<Value> second = tensorOperand(op.getRhs(), op, element, lowering);
    if (failed(first) || failed(second))
      return failure();
    lhs = *first;
    rhs = *second;
  }
  Value output = op.getOutput();
  Location location = op.getLoc();
  UnitAttr relu;
  if (top::UnaryOp following = lowering.followingRelu(output)) {
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
  table.add<top::BinaryOp>(lowerBinary, [](StringRef kind) {
    return tpu::symbolizeBinaryKind(kind).has_value();
  });
}
