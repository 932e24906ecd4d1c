//===- Integers.cpp - functions of integers as chains of tpu ops ----------===//
//
// The machine adds, multiplies, compares and shifts integers, but does not
// divide them. Shift counts beyond the width are defined by ONNX BitShift-28.
//
//===----------------------------------------------------------------------===//

#include "passes/quantize/Elements.h"

#include "dialects/top/Binary.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;
using tpu::BinaryKind;
using tpu::Relation;
using TopKind = top::BinaryKind;

static IntegerType integerTypeOf(const Element &lhs, const Element &rhs) {
  return cast<IntegerType>(
      tpu::elementOf(lhs.tensor ? lhs.tensor : rhs.tensor));
}

/// The tensor of `element`, or one of `like`'s shape full of the number.
static Value asTensor(const Element &element, Value like, Elements &e) {
  if (element.tensor)
    return element.tensor;
  Value zero = e.binary(BinaryKind::Xor, like, like);
  return e.binary(BinaryKind::Add, zero, element.number);
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

/// x shifted by the amounts `y` of its own type. Amounts are read as unsigned
/// numbers, so a negative one is beyond the width, too.
static Value shift(Value x, Element y, bool isLeft, Elements &e) {
  auto type = cast<IntegerType>(tpu::elementOf(x));
  unsigned width = type.getWidth();
  BinaryKind kind = isLeft ? BinaryKind::ShiftLeft : BinaryKind::ShiftRight;
  bool fillsSign = !isLeft && !type.isUnsigned();
  double most = fillsSign ? width - 1 : width; // gives signs, or zeros
  if (!y.tensor) {
    double amount = y.number < 0 || y.number > most ? most : y.number;
    if (amount > 31)
      x = e.binary(kind, x, amount - 31);
    return e.binary(kind, x, std::min(amount, 31.0));
  }
  Value amount = e.bits(y.tensor, e.integer(width, /*isUnsigned=*/true));
  amount = e.binary(BinaryKind::Min, amount, most);
  if (most > 31) { // in two steps: a command shifts by 31 at most
    Value first = e.binary(BinaryKind::Min, amount, 31.0);
    Value rest = e.binary(BinaryKind::Sub, amount, first);
    x = e.binary(kind, x, e.cast(rest, e.integer(8)));
    amount = first;
  }
  return e.binary(kind, x, e.cast(amount, e.integer(8)));
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

namespace {
struct Division {
  Value quotient, remainder;
};
} // namespace

/// Quotient and remainder of ui32 numbers; anything for a divisor of 0. A
/// quotient of f32 numbers is within 2^-20 of the true one; made smaller by
/// 2^-19 it is never too large, so all that is left stays unsigned: first less
/// than 2^14 divisors, after a second quotient less than two.
static Division divideUnsigned(Value x, Value y, Elements &e) {
  constexpr double kBelow = 1 - 0x1p-19;
  Type ui32 = tpu::elementOf(x), f32 = Float32Type::get(x.getContext());
  Value divisor = e.cast(y, f32), quotient, rest = x;
  for (int step = 0; step < 2; ++step) {
    Value ratio = e.binary(BinaryKind::Div, e.cast(rest, f32), divisor);
    Value part = e.cast(e.binary(BinaryKind::Mul, ratio, kBelow), ui32);
    quotient = quotient ? e.binary(BinaryKind::Add, quotient, part) : part;
    rest = e.binary(BinaryKind::Sub, rest, e.binary(BinaryKind::Mul, part, y));
  }
  Value one = e.cast(e.isNot(e.compare(Relation::Less, rest, y)), ui32);
  quotient = e.binary(BinaryKind::Add, quotient, one);
  rest = e.binary(BinaryKind::Sub, rest, e.binary(BinaryKind::Mul, one, y));
  return {quotient, rest};
}

/// -x where `flag` is 1, else x: (x ^ -flag) + flag.
static Value negatedWhere(Value x, Value flag, Elements &e) {
  Type type = tpu::elementOf(x);
  Value bit = e.cast(flag, type);
  Value mask = e.binary(BinaryKind::Sub, 0.0, bit);
  return e.binary(BinaryKind::Add, e.binary(BinaryKind::Xor, x, mask), bit);
}

/// Div (towards zero), Fmod (sign of x) and Mod (sign of y) of one integer
/// type.
static Value divide(TopKind kind, Value x, Value y, Elements &e) {
  auto type = cast<IntegerType>(tpu::elementOf(x));
  Type ui32 = e.integer(32, true);
  if (type.isUnsigned()) {
    Division d = divideUnsigned(e.cast(x, ui32), e.cast(y, ui32), e);
    return e.cast(kind == TopKind::Div ? d.quotient : d.remainder, type);
  }
  Type si32 = e.integer(32);
  Value negativeX = e.compare(Relation::Less, x, 0.0),
        negativeY = e.compare(Relation::Less, y, 0.0);
  Value wideX = e.cast(x, si32), wideY = e.cast(y, si32);
  Division d =
      divideUnsigned(e.bits(negatedWhere(wideX, negativeX, e), ui32),
                     e.bits(negatedWhere(wideY, negativeY, e), ui32), e);
  if (kind == TopKind::Div) {
    Value negative = e.binary(BinaryKind::Xor, negativeX, negativeY);
    return e.cast(negatedWhere(e.bits(d.quotient, si32), negative, e), type);
  }
  Value rest = negatedWhere(e.bits(d.remainder, si32), negativeX, e);
  if (kind == TopKind::Mod) { // a rest of the other sign moves by one divisor
    Value differs = e.binary(BinaryKind::And, e.truth(rest),
                             e.binary(BinaryKind::Xor, negativeX, negativeY));
    rest = e.binary(BinaryKind::Add, rest,
                    e.binary(BinaryKind::Mul, e.cast(differs, si32), wideY));
  }
  return e.cast(rest, type);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// x^y modulo 2^32 of one integer type by squaring; a negative power is 0 but
/// for a base of 1 or -1. Beyond 63 only the parity of the exponent counts: the
/// power of an even base is 0 then.
static Value power(Value x, Value y, Elements &e) {
  auto type = cast<IntegerType>(tpu::elementOf(x));
  Type si32 = e.integer(32);
  Value base = e.cast(x, si32), result, isNegative;
  Value exponent = e.cast(y, si32);
  if (!type.isUnsigned()) {
    isNegative = e.compare(Relation::Less, exponent, 0.0);
    exponent = negatedWhere(exponent, isNegative, e);
  }
  Value odd = e.binary(BinaryKind::And, exponent, 1.0);
  exponent =
      e.binary(BinaryKind::Min, exponent, e.binary(BinaryKind::Add, odd, 62.0));
  Value first = base;
  for (int bit = 0; bit < 6; ++bit) {
    Value isSet =
        e.cast(e.binary(BinaryKind::And, exponent, 1.0), e.integer(8, true));
    if (!result)
      result = e.select(isSet, base, 1.0, si32);
    else
      result = e.select(isSet, e.binary(BinaryKind::Mul, result, base), result,
                        si32);
    if (bit == 5)
      break;
    base = e.binary(BinaryKind::Mul, base, base);
    exponent = e.binary(BinaryKind::ShiftRight, exponent, 1.0);
  }
  if (isNegative) {
    Value isUnit =
        e.binary(BinaryKind::Or, e.compare(Relation::Equal, first, 1.0),
                 e.compare(Relation::Equal, first, -1.0));
    Value vanishes = e.binary(BinaryKind::And, isNegative, e.isNot(isUnit));
    result = e.select(vanishes, 0.0, result, si32);
  }
  return e.cast(result, type);
}

Value weft::quantize::integerPower(Element x, Element y, Elements &e) {
  // A power of f32 numbers is within 10 ulp: one that should be whole is made
  // larger by more than that before it is cut.
  constexpr double kAbove = 1 + 0x1p-20;
  Value like = x.tensor ? x.tensor : y.tensor;
  Type f32 = Float32Type::get(like.getContext()), si32 = e.integer(32);
  Value exponent = y.tensor;
  if (!exponent)
    exponent =
        e.binary(BinaryKind::Add,
                 e.binary(BinaryKind::Mul, e.cast(like, f32), 0.0), y.number);
  Value count = e.cast(exponent, si32);
  Value isWhole = e.compare(Relation::Equal, e.cast(count, f32), exponent);
  Value base = e.cast(asTensor(x, count, e), si32);
  Value ofFraction =
      e.binary(BinaryKind::Mul,
               e.binary(BinaryKind::Pow, e.cast(base, f32), exponent), kAbove);
  return e.select(isWhole, power(base, count, e), e.cast(ofFraction, si32),
                  si32);
}

//===----------------------------------------------------------------------===//
// All kinds
//===----------------------------------------------------------------------===//

/// Kinds that are one command of the same name.
static std::optional<BinaryKind> ownCommand(TopKind kind) {
  switch (kind) {
  case TopKind::Add:
    return BinaryKind::Add;
  case TopKind::Sub:
    return BinaryKind::Sub;
  case TopKind::Mul:
    return BinaryKind::Mul;
  case TopKind::Max:
    return BinaryKind::Max;
  case TopKind::Min:
    return BinaryKind::Min;
  case TopKind::And:
  case TopKind::BitwiseAnd:
    return BinaryKind::And;
  case TopKind::Or:
  case TopKind::BitwiseOr:
    return BinaryKind::Or;
  case TopKind::Xor:
  case TopKind::BitwiseXor:
    return BinaryKind::Xor;
  default:
    return std::nullopt;
  }
}

Value weft::quantize::integerFunction(TopKind kind, Element lhs, Element rhs,
                                      Elements &e) {
  if (std::optional<BinaryKind> command = ownCommand(kind))
    return e.binary(*command, lhs, rhs);
  Value like = lhs.tensor ? lhs.tensor : rhs.tensor;
  switch (kind) {
  case TopKind::Div:
  case TopKind::Mod:
  case TopKind::Fmod:
    return divide(kind, asTensor(lhs, like, e), asTensor(rhs, like, e), e);
  case TopKind::Pow:
    return power(asTensor(lhs, like, e), asTensor(rhs, like, e), e);
  case TopKind::ShiftLeft:
  case TopKind::ShiftRight:
    return shift(asTensor(lhs, like, e), rhs, kind == TopKind::ShiftLeft, e);
  case TopKind::PRelu: {
    Value x = asTensor(lhs, like, e);
    return e.select(e.compare(Relation::Less, x, 0.0),
                    e.binary(BinaryKind::Mul, x, rhs), x,
                    integerTypeOf(lhs, rhs));
  }
  default:
    return Value();
  }
}
