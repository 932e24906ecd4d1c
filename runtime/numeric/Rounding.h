/// Rounding and saturation of integers as the TPU does them.
#ifndef WEFT_RUNTIME_NUMERIC_ROUNDING_H
#define WEFT_RUNTIME_NUMERIC_ROUNDING_H

#include <cstdint>

namespace weft::numeric {

/// Rounding codes of the machine (isa section 3). Casts from fp32 to integers
/// take the first five only; integer shifts take all.
enum class Rounding : uint8_t {
  HalfToEven = 0,
  HalfAwayFromZero = 1,
  TowardZero = 2,
  Floor = 3,
  Ceil = 4,
  HalfUp = 5,
  HalfDown = 6,
};
constexpr unsigned kRoundingModes = 7;

/// 1 if the quotient of a right shift must be raised by one. `remainder` are
/// the bits shifted out, `half` is half of the divisor, both as seen by a floor
/// division; `odd` and `negative` describe the floor quotient and the dividend.
template <class Unsigned>
constexpr int roundingIncrement(Rounding mode, Unsigned remainder,
                                Unsigned half, bool odd, bool negative) {
  switch (mode) {
  case Rounding::HalfToEven:
    return remainder > half || (remainder == half && odd);
  case Rounding::HalfAwayFromZero:
    return remainder > half || (remainder == half && !negative);
  case Rounding::TowardZero:
    return negative && remainder != 0;
  case Rounding::Floor:
    return 0;
  case Rounding::Ceil:
    return remainder != 0;
  case Rounding::HalfUp:
    return remainder >= half;
  case Rounding::HalfDown:
    return remainder > half;
  }
  return 0;
}

/// value * 2^-shift, rounded. Any `shift` >= 0; from 63 up the result is what
/// an infinitely wide machine gives.
constexpr int64_t shiftRightRounded(int64_t value, unsigned shift,
                                    Rounding mode) {
  if (shift == 0)
    return value;
  if (shift > 63) {
    // |value| * 2^-shift is at most one half, and one half only for INT64_MIN
    // at 64.
    bool tie = shift == 64 && value == INT64_MIN;
    uint64_t remainder = value == 0 ? 0 : (value < 0 ? (tie ? 2 : 3) : 1);
    return (value < 0 ? -1 : 0) + roundingIncrement<uint64_t>(
                                      mode, remainder, 2, value < 0, value < 0);
  }
  int64_t quotient = value >> shift;
  uint64_t remainder =
      static_cast<uint64_t>(value) & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  return quotient + roundingIncrement<uint64_t>(mode, remainder, half,
                                                quotient & 1, value < 0);
}

/// value * 2^amount: left for a positive amount (bits beyond 64 are lost),
/// right and rounded for a negative one.
constexpr int64_t shiftRounded(int64_t value, int amount, Rounding mode) {
  if (amount >= 64)
    return 0;
  if (amount >= 0)
    return static_cast<int64_t>(static_cast<uint64_t>(value) << amount);
  return shiftRightRounded(value, static_cast<unsigned>(-amount), mode);
}

/// value * 2^-shift, half up, in 32 bits: the half is added before the last
/// shift and wraps there. T: int32_t or uint32_t; shift 0..31.
template <class T>
constexpr T shiftHalfUp(T value, unsigned shift) {
  if (shift == 0)
    return value;
  return static_cast<T>(static_cast<uint32_t>(value >> (shift - 1)) + 1u) >> 1;
}

/// `value` clamped to [low, high].
constexpr int64_t clampTo(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : (value > high ? high : value);
}

/// `value` saturated to `bits` (1..32) bits, signed or unsigned.
constexpr int64_t saturate(int64_t value, unsigned bits, bool isSigned) {
  return isSigned ? clampTo(value, -(int64_t(1) << (bits - 1)),
                            (int64_t(1) << (bits - 1)) - 1)
                  : clampTo(value, 0, (int64_t(1) << bits) - 1);
}

/// A finite float rounded to an integer that is saturated to [low, high]; NaN
/// gives 0. `mode` is one of the first five codes (the others act as
/// HalfToEven).
inline int64_t roundToInteger(double value, Rounding mode, int64_t low,
                              int64_t high) {
  if (value != value)
    return 0;
  // Beyond 2^52 a double has no fraction, and the bounds have at most 33 bits.
  if (value >= 4503599627370496.0)
    return high;
  if (value <= -4503599627370496.0)
    return low;
  int64_t whole = static_cast<int64_t>(value); // toward zero
  double fraction = value - static_cast<double>(whole);
  double magnitude = fraction < 0 ? -fraction : fraction;
  int away = fraction < 0 ? -1 : 1;
  switch (mode) {
  case Rounding::HalfAwayFromZero:
    whole += magnitude >= 0.5 ? away : 0;
    break;
  case Rounding::TowardZero:
    break;
  case Rounding::Floor:
    whole -= fraction < 0;
    break;
  case Rounding::Ceil:
    whole += fraction > 0;
    break;
  default:
    whole += magnitude > 0.5 || (magnitude == 0.5 && (whole & 1)) ? away : 0;
    break;
  }
  return clampTo(whole, low, high);
}

} // namespace weft::numeric

#endif
