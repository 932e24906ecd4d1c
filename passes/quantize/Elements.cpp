//===- Elements.cpp - chains of element-wise tpu ops ----------------------===//

#include "passes/quantize/Elements.h"

#include "dialects/tpu/Binary.h"
#include "dialects/tpu/Cast.h"
#include "dialects/tpu/Select.h"
#include "dialects/tpu/Unary.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

Type Elements::integer(unsigned width, bool isUnsigned) {
  return IntegerType::get(lowering.builder.getContext(), width,
                          isUnsigned ? IntegerType::Unsigned
                                     : IntegerType::Signless);
}

RankedTensorType Elements::resultType(ArrayRef<Value> operands, Type element) {
  SmallVector<int64_t, 4> shape(4, 1);
  for (Value operand : operands) {
    if (!operand)
      continue;
    auto sizes = mlir::cast<RankedTensorType>(operand.getType()).getShape();
    for (auto [axis, size] : llvm::enumerate(sizes))
      shape[axis] = std::max(shape[axis], size);
  }
  return lowering.tensor(shape, element);
}

Value Elements::binary(tpu::BinaryKind kind, Element lhs, Element rhs) {
  OpBuilder &b = lowering.builder;
  bool reversed = !lhs.tensor;
  if (reversed)
    std::swap(lhs, rhs);
  FloatAttr constant = rhs.tensor ? FloatAttr() : b.getF64FloatAttr(rhs.number);
  reversed &= kind == tpu::BinaryKind::Sub || kind == tpu::BinaryKind::Div ||
              kind >= tpu::BinaryKind::Pow;
  return b.create<tpu::BinaryOp>(
      location,
      resultType({lhs.tensor, rhs.tensor}, tpu::elementOf(lhs.tensor)),
      tpu::BinaryKindAttr::get(b.getContext(), kind), lhs.tensor, rhs.tensor,
      constant, reversed ? b.getUnitAttr() : UnitAttr(), UnitAttr(),
      DenseI32ArrayAttr(), DenseI32ArrayAttr());
}

Value Elements::compareBits(tpu::Relation relation, Value lhs, Element rhs) {
  OpBuilder &b = lowering.builder;
  return b.create<tpu::CompareOp>(
      location, resultType({lhs, rhs.tensor}, integer(8, true)),
      tpu::RelationAttr::get(b.getContext(), relation), lhs, rhs.tensor,
      rhs.tensor ? FloatAttr() : b.getF64FloatAttr(rhs.number));
}

Value Elements::compare(tpu::Relation relation, Value lhs, Element rhs) {
  auto type = dyn_cast<FloatType>(tpu::elementOf(lhs));
  if (!type || relation != tpu::Relation::Equal)
    return compareBits(relation, lhs, rhs);
  // The machine finds floats equal by their bits: 0 is added, which makes +0 of
  // -0, and a NaN is no number that equals itself.
  lhs = binary(tpu::BinaryKind::Add, lhs, 0.0);
  if (!rhs.tensor)
    return compareBits(relation, lhs, rhs.number + 0.0);
  rhs = binary(tpu::BinaryKind::Add, rhs, 0.0);
  Value equal = compareBits(relation, lhs, rhs);
  unsigned width = type.getWidth();
  llvm::APInt infinity =
      llvm::APFloat::getInf(type.getFloatSemantics()).bitcastToAPInt();
  Value magnitude = binary(tpu::BinaryKind::And, bits(lhs, integer(width)),
                           std::ldexp(1.0, width - 1) - 1);
  Value isNumber = compareBits(tpu::Relation::Less, magnitude,
                               double(infinity.getZExtValue()) + 1);
  return binary(tpu::BinaryKind::And, equal, isNumber);
}

Value Elements::select(Value condition, Element onTrue, Element onFalse,
                       Type element) {
  OpBuilder &b = lowering.builder;
  auto constant = [&](const Element &side) {
    return side.tensor ? FloatAttr() : b.getF64FloatAttr(side.number);
  };
  return b.create<tpu::SelectOp>(
      location, resultType({condition, onTrue.tensor, onFalse.tensor}, element),
      condition, onTrue.tensor, onFalse.tensor, constant(onTrue),
      constant(onFalse));
}

Value Elements::cast(Value value, Type element, tpu::RoundingAttr rounding) {
  if (tpu::elementOf(value) == element)
    return value;
  return lowering.builder.create<tpu::CastOp>(
      location, resultType(value, element), value, IntegerAttr(), IntegerAttr(),
      rounding);
}

Value Elements::toNearest(Value value, Type element) {
  return cast(value, element,
              tpu::RoundingAttr::get(lowering.builder.getContext(),
                                     tpu::Rounding::HalfEven));
}

Value Elements::unary(tpu::UnaryKind kind, Value value) {
  return lowering.builder.create<tpu::UnaryOp>(
      location, value.getType(), kind, value, FloatAttr(), FloatAttr(),
      /*narrow_steps=*/false, /*short_steps=*/false);
}

Value Elements::corrected(Value guess, Value whole, Value correction) {
  Value better = binary(tpu::BinaryKind::Add, whole, correction);
  Value change = binary(tpu::BinaryKind::Sub, better, guess);
  Value isSmall = compareBits(
      tpu::Relation::Less, binary(tpu::BinaryKind::Mul, change, change), 1.0);
  return select(isSmall, better, guess, tpu::elementOf(guess));
}

/// The upper half of the significant bits of a number.
static double upperHalf(double number) {
  auto value = static_cast<float>(number);
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  bits &= 0xfffff000;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

Value Elements::ieeeQuotient(Value guess, Element dividend, Element divisor,
                             Element reciprocal) {
  using tpu::BinaryKind;
  Value whole = unary(tpu::UnaryKind::Round, guess);
  // What is left of the dividend, without a rounding: half of the bits of the
  // divisor times a whole number of as many bits fit.
  Element upper = upperHalf(divisor.number),
          lower = divisor.number - upper.number;
  if (divisor.tensor) {
    Type element = tpu::elementOf(divisor.tensor);
    upper = bits(binary(BinaryKind::And, bits(divisor.tensor, integer(32)),
                        double(int32_t(0xfffff000))),
                 element);
    lower = binary(BinaryKind::Sub, divisor.tensor, upper);
  }
  Value rest =
      binary(BinaryKind::Sub, dividend, binary(BinaryKind::Mul, whole, upper));
  if (lower.tensor || lower.number != 0)
    rest = binary(BinaryKind::Sub, rest, binary(BinaryKind::Mul, whole, lower));
  return corrected(guess, whole, binary(BinaryKind::Mul, rest, reciprocal));
}

Value Elements::ieeeRoot(Value root, Value value) {
  using tpu::BinaryKind;
  Value whole = unary(tpu::UnaryKind::Round, root);
  Value rest =
      binary(BinaryKind::Sub, value, binary(BinaryKind::Mul, whole, whole));
  // d(root) = d(value) / (2 * root); a root of less than 1 is left as it is.
  Value slope =
      unary(tpu::UnaryKind::Reciprocal,
            binary(BinaryKind::Mul, binary(BinaryKind::Max, whole, 1.0), 2.0));
  Value better = corrected(root, whole, binary(BinaryKind::Mul, rest, slope));
  Value isWhole = compareBits(tpu::Relation::Greater, whole, 0.5);
  return select(isWhole, better, root, tpu::elementOf(root));
}

Value Elements::bits(Value value, Type element) {
  if (tpu::elementOf(value) == element)
    return value;
  OpBuilder &b = lowering.builder;
  return b.create<tpu::CastOp>(location, resultType(value, element), value,
                               IntegerAttr(), IntegerAttr(),
                               tpu::RoundingAttr(), b.getUnitAttr());
}

Value Elements::truth(Value value) {
  return isNot(compare(tpu::Relation::Equal, value, 0.0));
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// Keeps the low bits of the integers of a type narrower than a byte, held in a
/// byte.
static Value keepLowBits(Value value, IntegerType narrow, Elements &elements) {
  double unused = 8 - narrow.getWidth();
  if (narrow.isUnsigned())
    return elements.binary(tpu::BinaryKind::And, value,
                           double((1 << narrow.getWidth()) - 1));
  value = elements.binary(tpu::BinaryKind::ShiftLeft, value, unused);
  return elements.binary(tpu::BinaryKind::ShiftRight, value, unused);
}

/// The float type of 8 bits and less that `type` is, if any.
static std::optional<numeric::ElementType> smallFloatOf(Type type) {
  std::optional<numeric::ElementType> element = hostElementType(type);
  return element && numeric::isSmallFloat(*element) ? element : std::nullopt;
}

Value weft::quantize::castElements(Value value, Type from, Type to,
                                   const numeric::CastOptions &options,
                                   Elements &elements) {
  Type f32 = Float32Type::get(to.getContext());
  if (std::optional<numeric::ElementType> small = smallFloatOf(from))
    return castElements(decodeSmallFloats(value, *small, elements), f32, to,
                        options, elements);
  if (std::optional<numeric::ElementType> small = smallFloatOf(to))
    return encodeSmallFloats(elements.cast(value, f32), *small, options,
                             elements);
  auto isPlain = [](Type type) {
    return mlir::isa<IntegerType>(type) || type.isF32() || type.isF64() ||
           type.isF16() || type.isBF16();
  };
  if (!isPlain(from) || !isPlain(to))
    return Value();
  if (to.isInteger(1))
    return from.isInteger(1) ? value : elements.truth(value);
  Type stored = storedElement(to);
  auto integer = dyn_cast<IntegerType>(to);
  bool isNarrow = integer && integer.getWidth() < 8;
  // A float beyond a narrow type keeps the low bits of its whole number.
  if (isNarrow && mlir::isa<FloatType>(tpu::elementOf(value)))
    value = elements.cast(value, elements.integer(32));
  value = elements.cast(value, stored);
  return isNarrow ? keepLowBits(value, integer, elements) : value;
}
