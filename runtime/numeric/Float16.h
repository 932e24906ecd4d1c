/// Conversion between fp32 and the two 16-bit float formats, in portable
/// integer code.
///
/// Subnormals are kept. A NaN becomes 0x7fff in both formats, as on the machine
/// (isa section 5, cast); widening keeps the payload bits.
#ifndef WEFT_RUNTIME_NUMERIC_FLOAT16_H
#define WEFT_RUNTIME_NUMERIC_FLOAT16_H

#include "runtime/numeric/BitCast.h"
#include "runtime/numeric/Rounding.h"

#include <cstdint>

namespace weft::numeric {

constexpr uint16_t kNaN16 = 0x7fff;

/// fp16 bits -> fp32, exact.
constexpr float halfToFloat(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 0x1f;
  uint32_t fraction = bits & 0x3ff;
  if (exponent == 0x1f)
    return floatFromBits(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0)
    return floatFromBits(sign | (exponent + 112) << 23 | fraction << 13);
  // A subnormal: fraction * 2^-24, exact in fp32.
  float magnitude = static_cast<float>(fraction) * 5.9604644775390625e-8f;
  return floatFromBits(sign | floatBits(magnitude));
}

/// bf16 bits -> fp32, exact.
constexpr float bf16ToFloat(uint16_t bits) {
  return floatFromBits(uint32_t(bits) << 16);
}

/// Rounds the magnitude `value` * 2^-shift; `value` < 2^32, shift 1..63.
constexpr uint32_t roundMagnitude(uint32_t value, unsigned shift, bool negative,
                                  Rounding mode) {
  int64_t exact = negative ? -int64_t(value) : int64_t(value);
  int64_t rounded = shiftRightRounded(exact, shift, mode);
  return static_cast<uint32_t>(rounded < 0 ? -rounded : rounded);
}

/// fp32 bits -> a format with `fractionBits` of fraction and the given exponent
/// bias. Overflow by rounding carries into the exponent and so reaches infinity
/// by itself.
constexpr uint16_t narrowFloat(uint32_t bits, unsigned fractionBits, int bias,
                               Rounding mode) {
  bool negative = bits >> 31;
  uint16_t sign = negative ? 0x8000 : 0;
  uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return kNaN16;
  const uint32_t infinity = uint32_t(2 * bias + 1) << fractionBits;
  if (magnitude == 0x7f800000u)
    return sign | infinity;
  int exponent = int(magnitude >> 23) - 127;
  uint32_t fraction = magnitude & 0x7fffffu;
  if (magnitude >= 0x800000u)
    fraction |= 0x800000u;
  else
    exponent = -126;
  int lost = 23 - int(fractionBits);
  int below =
      (1 - bias) - exponent; // how far under the smallest normal exponent
  if (below > 0)
    lost += below;
  if (lost > 63)
    lost = 63;
  uint32_t rounded =
      lost == 0 ? fraction
                : roundMagnitude(fraction, unsigned(lost), negative, mode);
  uint32_t result =
      below > 0 ? rounded
                : (uint32_t(exponent + bias - 1) << fractionBits) + rounded;
  if (result < infinity)
    return sign | result;
  // Directed rounding toward the origin stops at the largest finite value.
  bool towardZero = mode == Rounding::TowardZero ||
                    (mode == Rounding::Floor && !negative) ||
                    (mode == Rounding::Ceil && negative);
  return sign | (towardZero ? infinity - 1 : infinity);
}

/// fp32 -> fp16 bits.
constexpr uint16_t floatToHalf(float value,
                               Rounding mode = Rounding::HalfToEven) {
  return narrowFloat(floatBits(value), 10, 15, mode);
}

/// fp32 -> bf16 bits.
constexpr uint16_t floatToBf16(float value,
                               Rounding mode = Rounding::HalfToEven) {
  return narrowFloat(floatBits(value), 7, 127, mode);
}

/// An integer of at most 33 bits rounded to `digits` (at most 24) binary
/// digits.
constexpr float integerToFloat(int64_t value, Rounding mode,
                               unsigned digits = 24) {
  uint64_t magnitude = value < 0 ? uint64_t(-value) : uint64_t(value);
  unsigned lost = 0;
  while (magnitude >> lost >> digits)
    ++lost;
  if (lost == 0)
    return static_cast<float>(value);
  int64_t rounded = shiftRightRounded(value, lost, mode);
  // At most 2^24 in magnitude: the conversion and the power of two are exact.
  return static_cast<float>(rounded) * static_cast<float>(uint64_t(1) << lost);
}

/// double -> fp32 rounded to odd. Rounding the result once more, to a 16-bit
/// format, is then correct (24 >= 11 + 2 bits).
constexpr float roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  if (value != value || double(nearest) == value ||
      (floatBits(nearest) & 0x7f800000u) == 0x7f800000u)
    return nearest;
  uint32_t bits = floatBits(nearest);
  if (bits & 1)
    return nearest;
  double magnitude = value < 0 ? -value : value;
  double rounded = nearest < 0 ? -double(nearest) : double(nearest);
  if (bits << 1 == 0) // a zero: the neighbour toward the value
    return floatFromBits(value < 0 ? 0x80000001u : 1u);
  return floatFromBits(rounded > magnitude ? bits - 1 : bits + 1);
}

/// double -> fp16 / bf16 bits, to nearest even, rounded once.
constexpr uint16_t doubleToHalf(double value) {
  return floatToHalf(roundToOdd(value));
}
constexpr uint16_t doubleToBf16(double value) {
  return floatToBf16(roundToOdd(value));
}

/// fp32 -> fp16 bits, to nearest even, without branches, so that a compiler can
/// vectorise it.
inline uint16_t floatToHalfFast(float value) {
  uint32_t bits = floatBits(value);
  uint32_t magnitude = bits & 0x7fffffffu;
  // Normal range: rebias the exponent and round the 13 lost bits; a carry is
  // the right result.
  uint32_t normal =
      (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1)) >> 13;
  // Subnormal range: adding 0.5 puts the rounded fraction into the low bits of
  // the sum.
  uint32_t small = floatBits(floatFromBits(magnitude) + 0.5f) - 0x3f000000u;
  uint32_t result = magnitude < 0x38800000u ? small : normal;
  result = magnitude >= 0x47800000u ? 0x7c00u : result;
  result |= (bits >> 16) & 0x8000u;
  return static_cast<uint16_t>(magnitude > 0x7f800000u ? uint32_t(kNaN16)
                                                       : result);
}

/// fp32 -> bf16 bits, to nearest even, without branches.
inline uint16_t floatToBf16Fast(float value) {
  uint32_t bits = floatBits(value);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
  return static_cast<uint16_t>(
      (bits & 0x7fffffffu) > 0x7f800000u ? uint32_t(kNaN16) : rounded);
}

} // namespace weft::numeric

#endif
