//===- MicrosoftQuantized.cpp - quantized rows of com.microsoft -----------===//
//
// real = (stored - zero point) * scale. The functions are computed in f32 on
// the real numbers and their results rounded half to even once.
//
//===----------------------------------------------------------------------===//

#include "dialects/top/Unary.h"
#include "frontend/onnx/Import.h"
#include "frontend/onnx/Microsoft.h"
#include "frontend/onnx/Quantize.h"
#include "frontend/onnx/Recurrent.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace weft;
using namespace weft::onnx;
using top::BinaryKind;
using top::UnaryKind;

/// The number of one element, or with `axis` >= 0 a vector along that axis,
/// beside tensors of rank `rank`.
static Value parameter(Compose &c, Value value, int64_t rank, int64_t axis) {
  if (!value)
    return {};
  int64_t count = NodeImporter::typeOf(value).getNumElements();
  if (count == 1)
    return c.reshape(value, {});
  SmallVector<int64_t> shape(rank, 1);
  if (axis >= 0 && axis < rank)
    shape[axis] = count;
  return c.reshape(value, shape);
}

/// f32 numbers of a quantized tensor; a null zero point is 0.
static Value dequantized(Compose &c, Value value, Value scale, Value zero,
                         int64_t axis = -1) {
  if (!value || !scale)
    return {};
  Type f32 = c.n.builder.getF32Type();
  int64_t rank = c.shapeOf(value).size();
  Value real = c.cast(value, f32);
  if (zero)
    real = c.sub(real, c.cast(parameter(c, zero, rank, axis), f32));
  return c.mul(real, parameter(c, scale, rank, axis));
}

/// `codes` as the nearest whole numbers, moved by `zero` (null: 0) and
/// saturated to `element`, ui8 or i8.
static Value rounded(Compose &c, Value codes, Value zero, Type element) {
  Value moved = c.unary(UnaryKind::Round, codes);
  if (zero)
    moved = c.add(moved,
                  c.cast(parameter(c, zero, 0, -1), c.n.builder.getF32Type()));
  bool isUnsigned = element.isUnsignedInteger();
  return c.cast(c.clamp(moved, isUnsigned ? 0 : -128, isUnsigned ? 255 : 127),
                element);
}

/// `real` in `element`, ui8 or i8: rounded and saturated.
static Value quantized(Compose &c, Value real, Value scale, Value zero,
                       Type element) {
  if (!real || !scale)
    return {};
  return rounded(c, exactQuotient(c, real, parameter(c, scale, 0, -1)), zero,
                 element);
}

/// Operands `first` to `first` + 2 as real numbers.
static Value realOperand(Compose &c, unsigned first) {
  FailureOr<Value> value = c.n.operand(first), scale = c.n.operand(first + 1);
  if (failed(value) || failed(scale))
    return {};
  return dequantized(c, *value, *scale, c.n.optionalOperand(first + 2));
}

/// Sets the output from `real` by the scale and zero point that are operands
/// `first` and `first` + 1; its type is that of operand `like`.
static LogicalResult finishQuantized(Compose &c, Value real, unsigned first,
                                     unsigned like) {
  FailureOr<Value> scale = c.n.operand(first), model = c.n.operand(like);
  if (failed(scale) || failed(model) || !real)
    return failure();
  return c.finish(quantized(c, real, *scale, c.n.optionalOperand(first + 1),
                            c.elementOf(*model)));
}

/// The number next to `offset` with which rint(x * ratio + offset), rounded
/// after each step, is what one rounding of all gives, for every 8-bit x;
/// `offset` itself if there is none. Half of such sums may be ties.
static float fusedOffset(float ratio, float offset, bool isUnsigned) {
  constexpr int kMostSteps = 16;
  auto isFused = [&](float candidate) {
    for (int x = isUnsigned ? 0 : -128; x <= (isUnsigned ? 255 : 127); ++x) {
      float fused = std::fma(float(x), ratio, offset),
            product = float(x) * ratio, stepwise = product + candidate;
      if (std::nearbyint(fused) != std::nearbyint(stepwise))
        return false;
    }
    return true;
  };
  float up = offset, down = offset;
  for (int step = 0; step <= kMostSteps; ++step) {
    for (float candidate : {up, down})
      if (isFused(candidate))
        return candidate;
    up = std::nextafter(up, std::numeric_limits<float>::infinity());
    down = std::nextafter(down, -std::numeric_limits<float>::infinity());
  }
  return offset;
}

/// The one number of a constant.
static std::optional<float> constantNumber(Value value) {
  auto numbers = value ? constantNumbersOf(value) : std::nullopt;
  return numbers && numbers->size() == 1
             ? std::optional<float>(static_cast<float>(numbers->front()))
             : std::nullopt;
}

/// QLinearAdd. Like ONNX Runtime in the scale of the result, with what the zero
/// points add as one number. It fuses the products into the sums; so do we
/// beside a number, where ties are the rule, else not.
static LogicalResult importQLinearAdd(NodeImporter &n) {
  FailureOr<Value> a = n.operand(0), b = n.operand(3), scale = n.operand(6);
  if (failed(a) || failed(b) || failed(scale))
    return failure();
  Compose c(n);
  Type f32 = n.builder.getF32Type(), element = c.elementOf(*a);
  bool isUnsigned = element.isUnsignedInteger();
  auto number = [&](unsigned i) {
    Value value = n.optionalOperand(i);
    return value ? c.cast(parameter(c, value, 0, -1), f32)
                 : c.numbers(0.0, {}, f32);
  };
  Value divisor = number(6);
  Value ratioA = c.binary(BinaryKind::Div, number(1), divisor),
        ratioB = c.binary(BinaryKind::Div, number(4), divisor);
  Value fixed = c.sub(
      number(7), c.add(c.mul(ratioA, number(2)), c.mul(ratioB, number(5))));
  std::optional<float> other = constantNumber(*b),
                       ratio = constantNumber(ratioA),
                       factor = constantNumber(ratioB),
                       offset = constantNumber(fixed);
  Value addend;
  if (other && ratio && factor && offset)
    addend = c.numbers(
        fusedOffset(*ratio, std::fma(*other, *factor, *offset), isUnsigned), {},
        f32);
  else
    addend = c.add(c.mul(c.cast(*b, f32), ratioB), fixed);
  Value moved = c.add(c.mul(c.cast(*a, f32), ratioA), addend);
  return c.finish(c.cast(c.clamp(c.unary(UnaryKind::Round, moved),
                                 isUnsigned ? 0 : -128, isUnsigned ? 255 : 127),
                         element));
}

/// The whole numbers of operand `first`, less its zero point, in f32.
static Value centeredOperand(Compose &c, unsigned first) {
  FailureOr<Value> value = c.n.operand(first);
  if (failed(value))
    return {};
  Type f32 = c.n.builder.getF32Type();
  Value zero = c.n.optionalOperand(first + 2);
  Value whole = c.cast(*value, f32);
  return zero ? c.sub(whole, c.cast(parameter(c, zero, 0, -1), f32)) : whole;
}

/// QLinearMul. As ONNX Runtime does: the product of the integers, which f32
/// holds, times one factor, and the zero point before the rounding.
static LogicalResult importQLinearMul(NodeImporter &n) {
  Compose c(n);
  FailureOr<Value> scaleA = n.operand(1), scaleB = n.operand(4),
                   scale = n.operand(6), model = n.operand(0);
  Value left = centeredOperand(c, 0), right = centeredOperand(c, 3);
  if (failed(scaleA) || failed(scaleB) || failed(scale) || failed(model) ||
      !left || !right)
    return failure();
  Value factor =
      c.mul(parameter(c, *scaleA, 0, -1), parameter(c, *scaleB, 0, -1));
  factor = c.binary(BinaryKind::Div, factor, parameter(c, *scale, 0, -1));
  Value moved = c.mul(c.mul(left, right), factor);
  if (Value zero = n.optionalOperand(7))
    moved =
        c.add(moved, c.cast(parameter(c, zero, 0, -1), n.builder.getF32Type()));
  Type element = c.elementOf(*model);
  bool isUnsigned = element.isUnsignedInteger();
  return c.finish(c.cast(c.clamp(c.unary(UnaryKind::Round, moved),
                                 isUnsigned ? 0 : -128, isUnsigned ? 255 : 127),
                         element));
}

static LogicalResult importQLinearSigmoid(NodeImporter &n) {
  Compose c(n);
  return finishQuantized(c, c.unary(UnaryKind::Sigmoid, realOperand(c, 0)), 3,
                         0);
}

static LogicalResult importQLinearLeakyRelu(NodeImporter &n) {
  FailureOr<double> alpha = n.floatAttribute("alpha", double(0.01f));
  Compose c(n);
  Value real = realOperand(c, 0);
  if (failed(alpha) || !real)
    return failure();
  return finishQuantized(c,
                         Compose::orNull(n.create<top::UnaryOp>(
                             UnaryKind::LeakyRelu, real,
                             n.builder.getF64FloatAttr(*alpha), FloatAttr())),
                         3, 0);
}

/// QLinearAveragePool, QLinearGlobalAveragePool; `channels_last` puts the
/// channels behind the pixels.
static LogicalResult importQLinearPool(NodeImporter &n) {
  FailureOr<bool> last = n.flagAttribute("channels_last", false);
  Compose c(n);
  Value real = realOperand(c, 0);
  if (failed(last) || !real)
    return failure();
  int64_t rank = c.shapeOf(real).size();
  SmallVector<int64_t> toFront{0, rank - 1}, back{0};
  for (int64_t axis = 1; axis < rank - 1; ++axis) {
    toFront.push_back(axis);
    back.push_back(axis + 1);
  }
  back.push_back(1);
  bool global = n.node.opType == "QLinearGlobalAveragePool";
  Value result =
      standardOp(n, global ? "GlobalAveragePool" : "AveragePool",
                 global ? 1 : 11, {*last ? c.transpose(real, toFront) : real});
  return finishQuantized(c, *last ? c.transpose(result, back) : result, 3, 0);
}

/// QLinearConcat: scale and zero point of the result, then three operands for
/// each part.
static LogicalResult importQLinearConcat(NodeImporter &n) {
  FailureOr<int64_t> attribute = n.intAttribute("axis", 0);
  FailureOr<Value> first = n.operand(2);
  if (failed(attribute) || failed(first))
    return failure();
  FailureOr<int64_t> axis =
      n.normalizeAxis(*attribute, n.typeOf(*first).getRank());
  if (failed(axis))
    return failure();
  Compose c(n);
  SmallVector<Value> parts;
  for (unsigned i = 2; i + 1 < n.numOperands(); i += 3)
    parts.push_back(realOperand(c, i));
  return finishQuantized(c, c.concat(parts, *axis), 0, 2);
}

/// QLinearSoftmax. Before opset 13 all axes from `axis` on are one. As ONNX
/// Runtime does, which takes the reciprocal of the scale as a whole number.
static LogicalResult importQLinearSoftmax(NodeImporter &n) {
  FailureOr<int64_t> opset = n.intAttribute("opset", 13, 1);
  FailureOr<Value> scale = n.operand(3), model = n.operand(0);
  Compose c(n);
  Value real = realOperand(c, 0);
  if (failed(opset) || failed(scale) || failed(model) || !real)
    return failure();
  Value divisor = parameter(c, *scale, 0, -1);
  Value steps =
      c.unary(UnaryKind::Floor,
              c.binary(BinaryKind::Div, c.number(1, divisor), divisor));
  Value share = standardOp(n, "Softmax", *opset < 13 ? 11 : 13, {real});
  return c.finish(rounded(c, c.mul(share, steps), n.optionalOperand(4),
                          c.elementOf(*model)));
}

/// QLinearWhere: a condition, two operands, scale and zero point of the result.
static LogicalResult importQLinearWhere(NodeImporter &n) {
  FailureOr<Value> condition = n.operand(0);
  Compose c(n);
  Value left = realOperand(c, 1), right = realOperand(c, 4);
  if (failed(condition) || !left || !right)
    return failure();
  return finishQuantized(
      c, standardOp(n, "Where", 9, {*condition, left, right}), 7, 1);
}

/// DynamicQuantizeLSTM: W is D x I x 4H and R D x H x 4H, in 8 bits. ONNX
/// Runtime rounds the input and the states to 8 bits, too; here they stay as
/// they are.
static LogicalResult importDynamicLstm(NodeImporter &n) {
  FailureOr<Value> x = n.operand(0), w = n.operand(1), r = n.operand(2),
                   scaleW = n.operand(8), scaleR = n.operand(10);
  if (failed(x) || failed(w) || failed(r) || failed(scaleW) || failed(scaleR))
    return failure();
  if (n.typeOf(*x).getRank() != 3 || n.typeOf(*w).getRank() != 3 ||
      n.typeOf(*r).getRank() != 3)
    return n.error() << "X, W and R must have rank 3";
  Compose c(n);
  // A scale a direction, or a direction and column.
  auto real = [&](Value weights, Value scale, Value zero) {
    auto raised = [&](Value value) -> Value {
      if (!value)
        return {};
      ArrayRef<int64_t> shape = c.shapeOf(value);
      if (shape.size() < 2)
        return c.reshape(value,
                         {NodeImporter::typeOf(value).getNumElements(), 1, 1});
      return c.reshape(value, {shape[0], 1, shape[1]});
    };
    Type f32 = n.builder.getF32Type();
    Value numbers = c.cast(weights, f32);
    if (zero)
      numbers = c.sub(numbers, c.cast(raised(zero), f32));
    return c.transpose(c.mul(numbers, raised(scale)), {0, 2, 1});
  };
  RecurrentOperands operands{*x,
                             real(*w, *scaleW, n.optionalOperand(9)),
                             real(*r, *scaleR, n.optionalOperand(11)),
                             n.optionalOperand(3),
                             n.optionalOperand(4),
                             n.optionalOperand(5),
                             n.optionalOperand(6),
                             n.optionalOperand(7)};
  if (!operands.weights || !operands.recurrence)
    return failure();
  auto attributes =
      readRecurrentAttributes(n, CellKind::Lstm, n.typeOf(*w).getShape()[0]);
  if (failed(attributes))
    return failure();
  return buildRecurrent(n, CellKind::Lstm, operands, *attributes);
}

void weft::onnx::registerMicrosoftQuantizedRows(OpRegistry &registry) {
  registry.add("MatMul",
               {{"QLinearAdd", 1, kLastOpset, importQLinearAdd},
                {"QLinearMul", 1, kLastOpset, importQLinearMul},
                {"QLinearSigmoid", 1, kLastOpset, importQLinearSigmoid},
                {"QLinearLeakyRelu", 1, kLastOpset, importQLinearLeakyRelu},
                {"QLinearAveragePool", 1, kLastOpset, importQLinearPool},
                {"QLinearGlobalAveragePool", 1, kLastOpset, importQLinearPool},
                {"QLinearConcat", 1, kLastOpset, importQLinearConcat},
                {"QLinearSoftmax", 1, kLastOpset, importQLinearSoftmax},
                {"QLinearWhere", 1, kLastOpset, importQLinearWhere},
                {"QGemm", 1, kLastOpset, importQGemm},
                {"MatMulIntegerToFloat", 1, kLastOpset, importMatMulToFloat},
                {"DynamicQuantizeMatMul", 1, kLastOpset,
                 [](NodeImporter &n) {
                   return inSingle(n, importDynamicQuantizeMatMul);
                 }},
                {"DynamicQuantizeLSTM", 1, kLastOpset, importDynamicLstm,
                 "unrolled; input and states are not rounded to 8 bits"}},
               kMicrosoftDomain);
}
