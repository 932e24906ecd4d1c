//===- SmallFloats.cpp - floats of 8 bits and less as chains of tpu ops ---===//
//
// The machine has no such type: its codes are bytes, and the fields of an f32
// number are made of the fields of a code and back with the commands of
// integers. runtime/numeric/SmallFloats.h has the same functions for one
// number.
//
//===----------------------------------------------------------------------===//

#include "runtime/numeric/SmallFloats.h"
#include "passes/quantize/Elements.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;
using numeric::ElementType;
using numeric::SmallFormat;
using tpu::BinaryKind;
using tpu::Relation;
using Specials = SmallFormat::Specials;

// The fields of f32.
static constexpr int kFractionBits = 23, kBias = 127;
static constexpr double kMagnitude = 0x7fffffff, kInfinity = 0x7f800000,
                        kNaN = 0x7fc00000;

static double shifted(int64_t value, int amount) {
  return static_cast<double>(value << amount);
}

//===----------------------------------------------------------------------===//
// Codes to numbers
//===----------------------------------------------------------------------===//

/// A power of two by its exponent field. The smallest one is subnormal in f32.
static Value decodeScale(Value word, Elements &e) {
  Type si32 = e.integer(32);
  Value bits = e.binary(BinaryKind::ShiftLeft, word, double(kFractionBits));
  bits = e.select(e.compare(Relation::Equal, word, 0.0),
                  shifted(1, kFractionBits - 1), bits, si32);
  return e.select(e.compare(Relation::Equal, word, 255.0), kNaN, bits, si32);
}

/// f32 bits of the codes `word`, in si32.
static Value decode(Value word, const SmallFormat &format, Elements &e) {
  Type si32 = e.integer(32), f32 = Float32Type::get(word.getContext());
  int signBit = static_cast<int>(format.signBit());
  int spare = kFractionBits - format.fractionBits;
  Value size = e.binary(BinaryKind::And, word, signBit - 1.0);
  Value bits = e.binary(BinaryKind::ShiftLeft, size, double(spare));
  bits = e.binary(BinaryKind::Add, bits,
                  shifted(kBias - format.bias, kFractionBits));
  // A subnormal code counts the smallest steps; all are normal numbers of f32.
  double step = std::ldexp(1.0, 1 - format.bias - format.fractionBits);
  Value small = e.binary(BinaryKind::Mul, e.cast(size, f32), step);
  bits =
      e.select(e.compare(Relation::Less, size, shifted(1, format.fractionBits)),
               e.bits(small, si32), bits, si32);
  double largest = format.largestFinite();
  if (format.specials == Specials::Ieee)
    bits = e.select(e.compare(Relation::Equal, size, largest + 1), kInfinity,
                    bits, si32);
  if (format.specials == Specials::Ieee ||
      format.specials == Specials::LastIsNan) {
    double last = format.specials == Specials::Ieee ? largest + 1 : largest;
    bits = e.select(e.compare(Relation::Greater, size, last), kNaN, bits, si32);
  }
  if (format.specials == Specials::MinusZeroIsNan)
    bits = e.select(e.compare(Relation::Equal, word, double(signBit)), kNaN,
                    bits, si32);
  Value sign = e.binary(BinaryKind::And, word, double(signBit));
  int toTop = 31 - format.exponentBits - format.fractionBits;
  return e.binary(BinaryKind::Or, bits,
                  e.binary(BinaryKind::ShiftLeft, sign, double(toTop)));
}

Value weft::quantize::decodeSmallFloats(Value codes, ElementType type,
                                        Elements &e) {
  Value word = e.cast(codes, e.integer(32));
  const SmallFormat *format = numeric::smallFormat(type);
  Value bits = format ? decode(word, *format, e) : decodeScale(word, e);
  return e.bits(bits, Float32Type::get(codes.getContext()));
}

//===----------------------------------------------------------------------===//
// Numbers to codes
//===----------------------------------------------------------------------===//

/// The exponent field of `size`, f32 bits without sign, rounded by the
/// fraction (`numeric::encodeScale`).
static Value encodeScale(Value size, const numeric::CastOptions &options,
                         Elements &e) {
  using numeric::ScaleRounding;
  Type si32 = e.integer(32);
  double half = shifted(1, kFractionBits - 1);
  Value exponent =
      e.binary(BinaryKind::ShiftRight, size, double(kFractionBits));
  Value fraction = e.binary(BinaryKind::And, size, 2 * half - 1), up;
  if (options.rounding == ScaleRounding::Up)
    up = e.compare(Relation::Greater, fraction, 0.0);
  if (options.rounding == ScaleRounding::Nearest) {
    // Half rounds up but below 2^-126.
    Value tie =
        e.binary(BinaryKind::And, e.compare(Relation::Equal, fraction, half),
                 e.compare(Relation::Greater, exponent, 0.0));
    up = e.binary(BinaryKind::Or, e.compare(Relation::Greater, fraction, half),
                  tie);
  }
  Value code = exponent;
  if (up)
    code = e.binary(BinaryKind::Add, code, e.cast(up, si32));
  if (options.saturate)
    code = e.binary(BinaryKind::Min, code, 254.0);
  // NaN and infinity
  return e.select(e.compare(Relation::Equal, exponent, 255.0), 255.0, code,
                  si32);
}

/// The code of the nearest number without its sign, ties to the even code; what
/// is too large gets any larger code. `size`: f32 bits without sign.
static Value nearestCode(Value size, const SmallFormat &format, Elements &e) {
  Type si32 = e.integer(32), f32 = Float32Type::get(size.getContext());
  int spare = kFractionBits - format.fractionBits;
  // Half a step, less the last bit of an even code, carries into the code.
  Value odd = e.binary(BinaryKind::ShiftRight, size, double(spare));
  odd = e.binary(BinaryKind::And, odd, 1.0);
  Value normal = e.binary(BinaryKind::Add, size, shifted(1, spare - 1) - 1);
  normal = e.binary(BinaryKind::Add, normal, odd);
  normal = e.binary(BinaryKind::ShiftRight, normal, double(spare));
  normal = e.binary(BinaryKind::Sub, normal,
                    shifted(kBias - format.bias, format.fractionBits));
  double steps = std::ldexp(1.0, format.bias - 1 + format.fractionBits);
  Value small =
      e.toNearest(e.binary(BinaryKind::Mul, e.bits(size, f32), steps), si32);
  double smallestNormal = shifted(kBias + 1 - format.bias, kFractionBits);
  return e.select(e.compare(Relation::Less, size, smallestNormal), small,
                  normal, si32);
}

static Value encode(Value word, Value size, const SmallFormat &format,
                    bool saturate, Elements &e) {
  Type si32 = e.integer(32);
  double largest = format.largestFinite(), signBit = format.signBit(),
         nan = format.nanCode();
  Value nearest = nearestCode(size, format, e);
  bool staysFinite = saturate || format.specials == Specials::None;
  Value code =
      e.binary(BinaryKind::Min, nearest, staysFinite ? largest : largest + 1);
  Value sign =
      e.select(e.compare(Relation::Less, word, 0.0), signBit, 0.0, si32);
  if (format.specials == Specials::MinusZeroIsNan) {
    sign = e.select(e.compare(Relation::Equal, code, 0.0), 0.0, sign, si32);
    code = e.binary(BinaryKind::Or, code, sign);
    if (!staysFinite)
      code = e.select(e.compare(Relation::Greater, nearest, largest), nan, code,
                      si32);
  } else {
    code = e.binary(BinaryKind::Or, code, sign);
  }
  return e.select(e.compare(Relation::Greater, size, kInfinity), nan, code,
                  si32);
}

Value weft::quantize::encodeSmallFloats(Value value, ElementType type,
                                        const numeric::CastOptions &options,
                                        Elements &e) {
  Value word = e.bits(value, e.integer(32));
  Value size = e.binary(BinaryKind::And, word, kMagnitude);
  const SmallFormat *format = numeric::smallFormat(type);
  Value code = format ? encode(word, size, *format, options.saturate, e)
                      : encodeScale(size, options, e);
  return e.cast(code, e.integer(8, /*isUnsigned=*/true));
}
