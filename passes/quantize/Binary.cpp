//===- Binary.cpp - functions of two operands to tpu ----------------------===//

#include "dialects/top/Binary.h"

#include "dialects/top/Unary.h"
#include "dialects/tpu/Binary.h"
#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Norm.h"
#include "passes/quantize/Broadcast.h"
#include "passes/quantize/Elements.h"

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

/// True for a kind that only integers and bools have.
static bool isBitKind(tpu::BinaryKind kind) {
  return kind >= tpu::BinaryKind::And && kind <= tpu::BinaryKind::ShiftRight;
}

static bool isComparison(top::BinaryKind kind) {
  return kind >= top::BinaryKind::Equal &&
         kind <= top::BinaryKind::GreaterOrEqual;
}

/// Whether the chip has kind `name`, spelt as in the top dialect.
static bool hasKind(StringRef name) {
  std::optional<top::BinaryKind> kind = top::symbolizeBinaryKind(name);
  return tpu::symbolizeBinaryKind(name) || (kind && isComparison(*kind)) ||
         kind == top::BinaryKind::PRelu || name.starts_with("bitwise_");
}

/// Both operands of `op` in `elements`, in one view and ready to broadcast; a
/// constant of one element is a number, unless it would widen the rank.
static Answer<std::pair<Element, Element>>
operandsOf(top::BinaryOp op, ArrayRef<Type> elements, Lowering &lowering,
           bool repeatsChannels = false) {
  std::optional<double> left = scalarOf(op.getLhs(), lowering),
                        right = scalarOf(op.getRhs(), lowering);
  Value other = right ? op.getLhs() : op.getRhs();
  if ((left || right) && elementsOf(other) == elementsOf(op.getOutput())) {
    Answer<Value> tensor =
        lowering.inOwnView(other, elements[right ? 0 : 1], op);
    if (!tensor)
      return tensor.no();
    return right ? std::pair<Element, Element>(*tensor, *right)
                 : std::pair<Element, Element>(*left, *tensor);
  }
  BroadcastViews views = broadcastViews(
      shapeOf(op.getOutput()), {shapeOf(op.getLhs()), shapeOf(op.getRhs())});
  Answer<Value> lhs = broadcastOperand(views, 0, op.getLhs(), elements[0], op,
                                       lowering, repeatsChannels);
  Answer<Value> rhs = broadcastOperand(views, 1, op.getRhs(), elements[1], op,
                                       lowering, repeatsChannels);
  if (!lhs)
    return lhs.no();
  if (!rhs)
    return rhs.no();
  return std::pair<Element, Element>(*lhs, *rhs);
}

/// A comparison of any two numbers: ui8 1 or 0. The machine has greater, equal
/// and less, in none of which a NaN stands.
static Answer<> planComparison(top::BinaryOp op, Lowering &lowering) {
  Type element = lowering.elementwiseType(op->getOperands());
  auto operands = operandsOf(op, {element, element}, lowering);
  if (!operands)
    return operands.no();
  auto [lhs, rhs] = *operands;
  Elements e(lowering, op.getLoc());
  top::BinaryKind kind = op.getKind();
  bool orEqual = kind == top::BinaryKind::LessOrEqual ||
                 kind == top::BinaryKind::GreaterOrEqual;
  bool isLess =
      kind == top::BinaryKind::Less || kind == top::BinaryKind::LessOrEqual;
  if (!lhs.tensor) { // a number on the left: the other way round
    std::swap(lhs, rhs);
    isLess = !isLess;
  }
  tpu::Relation relation = kind == top::BinaryKind::Equal ? tpu::Relation::Equal
                           : isLess                       ? tpu::Relation::Less
                                    : tpu::Relation::Greater;
  Value result;
  if (orEqual && mlir::isa<IntegerType>(element)) {
    result =
        e.isNot(e.compare(isLess ? tpu::Relation::Greater : tpu::Relation::Less,
                          lhs.tensor, rhs));
  } else {
    result = e.compare(relation, lhs.tensor, rhs);
    if (orEqual)
      result = e.binary(tpu::BinaryKind::Or, result,
                        e.compare(tpu::Relation::Equal, lhs.tensor, rhs));
  }
  lowering.define(op.getOutput(), result);
  return Yes();
}

static Answer<> planIntegers(top::BinaryOp op, Lowering &lowering) {
  Type element = storedElement(topElement(op.getLhs()));
  auto operands = operandsOf(op, {element, element}, lowering);
  if (!operands)
    return operands.no();
  Elements e(lowering, op.getLoc());
  Value result =
      integerFunction(op.getKind(), operands->first, operands->second, e);
  if (!result)
    return Refusal(op,
                   inWords("element-wise function '",
                           top::stringifyBinaryKind(op.getKind()),
                           "' of integers"),
                   "cast them to floats");
  lowering.define(op.getOutput(), result);
  return Yes();
}

/// True for a constant of one number a channel of `type`.
static bool isChannelWeight(Value value, RankedTensorType type) {
  int64_t shape[] = {1, type.getDimSize(1), 1, 1};
  return mlir::isa_and_nonnull<tpu::WeightOp>(value.getDefiningOp()) &&
         shapeOf(value) == ArrayRef<int64_t>(shape) &&
         tpu::elementOf(value) == type.getElementType();
}

/// (x * scale) + offset, of one number a channel each, is one op where only the
/// sum reads the product: it rounds after each step, as two do. Null for
/// another sum.
static Value scaleOf(top::BinaryOp op, tpu::BinaryKind kind, Element lhs,
                     Element rhs, Location location, Lowering &lowering) {
  if (kind != tpu::BinaryKind::Add || !lhs.tensor || !rhs.tensor)
    return {};
  for (unsigned operand : {0, 1}) {
    Value product = operand ? rhs.tensor : lhs.tensor,
          offset = operand ? lhs.tensor : rhs.tensor;
    auto mul = product.getDefiningOp<tpu::BinaryOp>();
    if (!mul || mul.getKind() != tpu::BinaryKind::Mul || !mul.getRhs() ||
        mul.getRelu() || !op->getOperand(operand).hasOneUse() ||
        !isChannelWeight(offset, mul.getType()))
      continue;
    for (auto [input, scale] :
         {std::pair<Value, Value>(mul.getLhs(), mul.getRhs()),
          std::pair<Value, Value>(mul.getRhs(), mul.getLhs())})
      if (input.getType() == mul.getType() &&
          isChannelWeight(scale, mul.getType()))
        return lowering.builder.create<tpu::ScaleOp>(
            location, mul.getType(), input, scale, offset, UnitAttr());
  }
  return {};
}

/// A quotient that is rounded down, up or towards zero behind it.
static Value ieeeQuotient(Element dividend, Element divisor, top::BinaryOp op,
                          Lowering &lowering) {
  Elements e(lowering, op.getLoc());
  if (!divisor.tensor) {
    double reciprocal = 1 / static_cast<float>(divisor.number);
    Value guess = e.binary(tpu::BinaryKind::Mul, dividend, reciprocal);
    return e.ieeeQuotient(guess, dividend, divisor, reciprocal);
  }
  Value reciprocal = e.unary(tpu::UnaryKind::Reciprocal, divisor.tensor);
  Value guess = e.binary(tpu::BinaryKind::Div, dividend, divisor);
  return e.ieeeQuotient(guess, dividend, divisor, reciprocal);
}

/// A function of floats that is one op.
static Answer<> planFloats(top::BinaryOp op, tpu::BinaryKind kind,
                           Lowering &lowering) {
  bool byNumber = scalarOf(op.getRhs(), lowering).has_value();
  // A quotient is a Newton iteration on the machine, a power a series and a
  // remainder a difference of products: only f32 carries them far enough.
  bool isTruncatedQuotient =
      kind == tpu::BinaryKind::Div && isTruncated(op.getOutput());
  bool isLong = (kind == tpu::BinaryKind::Div && !byNumber) ||
                isTruncatedQuotient || kind >= tpu::BinaryKind::Pow;
  Type element =
      isLong ? lowering.f32() : lowering.repeatingType(op->getOperands());
  auto operands = operandsOf(op, {element, element}, lowering,
                             /*repeatsChannels=*/kind < tpu::BinaryKind::Pow);
  if (!operands)
    return operands.no();
  auto [lhs, rhs] = *operands;
  if (isTruncatedQuotient) {
    lowering.define(op.getOutput(), ieeeQuotient(lhs, rhs, op, lowering));
    return Yes();
  }
  if (kind == tpu::BinaryKind::Div && !rhs.tensor) {
    // x / c = x * (1 / c): one command, at most one more rounding
    kind = tpu::BinaryKind::Mul;
    rhs.number = 1 / static_cast<float>(rhs.number);
  }
  Value output = op.getOutput();
  Location location = op.getLoc();
  if (top::UnaryOp following = lowering.followingRelu(output)) {
    output = following.getOutput();
    location = FusedLoc::get(op.getContext(), {location, following.getLoc()});
    lowering.markTaken(following);
  }
  bool takesRelu = output != op.getOutput();
  Value result = scaleOf(op, kind, lhs, rhs, location, lowering);
  if (!result)
    result = Elements(lowering, location).binary(kind, lhs, rhs);
  if (auto scale = result.getDefiningOp<tpu::ScaleOp>())
    scale.setRelu(takesRelu);
  else if (takesRelu)
    result.getDefiningOp<tpu::BinaryOp>().setRelu(true);
  lowering.define(output, result);
  return Yes();
}

/// x < 0 ? x * slope : x; a NaN stays.
static Answer<> planPRelu(top::BinaryOp op, Lowering &lowering) {
  if (!lowering.firstForm(op.getLhs()))
    return Refusal(op, "prelu of a constant", "only its slope may be one");
  Type element = lowering.elementwiseType(op->getOperands());
  auto operands = operandsOf(op, {element, element}, lowering);
  if (!operands)
    return operands.no();
  auto [input, slope] = *operands;
  Elements e(lowering, op.getLoc());
  Value isNegative = e.compare(tpu::Relation::Less, input.tensor, 0.0);
  Value product = e.binary(tpu::BinaryKind::Mul, input, slope);
  lowering.define(op.getOutput(),
                  e.select(isNegative, product, input, element));
  return Yes();
}

/// A power of an integer and a float: of the type of the base. An integer
/// exponent counts as the nearest f32 number.
static Answer<> planMixedPower(top::BinaryOp op, Lowering &lowering) {
  if (mlir::isa<FloatType>(topElement(op.getLhs())))
    return planFloats(op, tpu::BinaryKind::Pow, lowering);
  Type element = storedElement(topElement(op.getLhs()));
  auto operands = operandsOf(op, {element, lowering.f32()}, lowering);
  if (!operands)
    return operands.no();
  Elements e(lowering, op.getLoc());
  Value power = integerPower(operands->first, operands->second, e);
  lowering.define(op.getOutput(), e.cast(power, element));
  return Yes();
}

static Answer<> planBinary(top::BinaryOp op, Lowering &lowering) {
  if (!lowering.firstForm(op.getLhs()) && !lowering.firstForm(op.getRhs()))
    return Refusal(op, "a function of two constants",
                   "fold constants first (--top-fold)");
  if (isComparison(op.getKind()))
    return planComparison(op, lowering);
  bool wholes = mlir::isa<IntegerType>(topElement(op.getLhs())) &&
                mlir::isa<IntegerType>(topElement(op.getRhs()));
  if (wholes)
    return planIntegers(op, lowering);
  StringRef name = top::stringifyBinaryKind(op.getKind());
  std::optional<tpu::BinaryKind> kind = tpu::symbolizeBinaryKind(name);
  bool isMixed = mlir::isa<IntegerType>(topElement(op.getLhs())) ||
                 mlir::isa<IntegerType>(topElement(op.getRhs()));
  if (op.getKind() == top::BinaryKind::PRelu && !isMixed)
    return planPRelu(op, lowering);
  if (op.getKind() == top::BinaryKind::Pow && isMixed)
    return planMixedPower(op, lowering);
  if (!kind || isBitKind(*kind))
    return Refusal(op,
                   inWords("element-wise function '", name, "' of two tensors"),
                   "build it from add, sub, mul, div, max and min");
  if (isMixed)
    return Refusal(
        op,
        inWords("element-wise function '", name, "' of an integer and a float"),
        "cast one of them");
  return planFloats(op, *kind, lowering);
}

void weft::quantize::registerBinaryLowering(LoweringTable &table) {
  table.add<top::BinaryOp>(planBinary, hasKind);
}
