#include "runtime/numeric/SmallFloats.h"

#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace weft::numeric {

using Specials = SmallFormat::Specials;

unsigned SmallFormat::largestFinite() const {
  switch (specials) {
  case Specials::LastIsNan:
    return signBit() - 2;
  case Specials::Ieee:
    return (((1u << exponentBits) - 1) << fractionBits) - 1;
  default:
    return signBit() - 1;
  }
}

uint8_t SmallFormat::nanCode() const {
  switch (specials) {
  case Specials::LastIsNan:
    return uint8_t(signBit() - 1);
  case Specials::Ieee:
    return uint8_t(largestFinite() + 2);
  default:
    return uint8_t(signBit());
  }
}

const SmallFormat *smallFormat(ElementType type) {
  static constexpr SmallFormat e4m3fn{4, 3, 7, Specials::LastIsNan};
  static constexpr SmallFormat e4m3fnuz{4, 3, 8, Specials::MinusZeroIsNan};
  static constexpr SmallFormat e5m2{5, 2, 15, Specials::Ieee};
  static constexpr SmallFormat e5m2fnuz{5, 2, 16, Specials::MinusZeroIsNan};
  static constexpr SmallFormat e2m1{2, 1, 1, Specials::None};
  static constexpr SmallFormat e2m3{2, 3, 1, Specials::None};
  static constexpr SmallFormat e3m2{3, 2, 3, Specials::None};
  switch (type) {
  case ElementType::F8E4M3FN:
    return &e4m3fn;
  case ElementType::F8E4M3FNUZ:
    return &e4m3fnuz;
  case ElementType::F8E5M2:
    return &e5m2;
  case ElementType::F8E5M2FNUZ:
    return &e5m2fnuz;
  case ElementType::F4E2M1:
    return &e2m1;
  case ElementType::F6E2M3:
    return &e2m3;
  case ElementType::F6E3M2:
    return &e3m2;
  default:
    return nullptr;
  }
}

std::optional<ScaleRounding> parseScaleRounding(std::string_view word) {
  if (word == "up")
    return ScaleRounding::Up;
  if (word == "down")
    return ScaleRounding::Down;
  if (word == "nearest")
    return ScaleRounding::Nearest;
  return std::nullopt;
}

bool isSmallFloat(ElementType type) {
  return smallFormat(type) || type == ElementType::F8E8M0;
}

double decodeSmallFloat(ElementType type, uint8_t code) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (type == ElementType::F8E8M0)
    return code == 255 ? kNan : std::ldexp(1.0, int(code) - 127);
  const SmallFormat &format = *smallFormat(type);
  unsigned signBit = format.signBit();
  unsigned magnitude = code & (signBit - 1);
  bool negative = code & signBit;
  if (format.specials == Specials::MinusZeroIsNan && negative && !magnitude)
    return kNan;
  if (magnitude > format.largestFinite()) {
    bool infinite = format.specials == Specials::Ieee &&
                    magnitude == format.largestFinite() + 1;
    return infinite ? (negative ? -HUGE_VAL : HUGE_VAL) : kNan;
  }
  int exponent = int(magnitude >> format.fractionBits);
  int fraction = int(magnitude & ((1u << format.fractionBits) - 1));
  if (exponent > 0)
    fraction += 1 << format.fractionBits;
  double value =
      std::ldexp(double(fraction), (exponent > 0 ? exponent : 1) - format.bias -
                                       format.fractionBits);
  return negative ? -value : value;
}

uint8_t encodeSmallFloat(ElementType type, double value, Overflow overflow) {
  const SmallFormat &format = *smallFormat(type);
  if (std::isnan(value))
    return format.nanCode();
  unsigned sign = std::signbit(value) ? format.signBit() : 0;
  double magnitude = std::fabs(value);
  unsigned largest = format.largestFinite();
  unsigned code = largest + 1;
  if (std::isfinite(magnitude)) {
    // Subnormal codes share the exponent of the smallest normal ones.
    int exponent = magnitude > 0 ? std::ilogb(magnitude) : INT32_MIN / 2;
    exponent = std::max(exponent, 1 - format.bias);
    // The default rounding mode makes nearbyint round half to even. Rounding
    // up to the next power of two carries into the exponent's field.
    double steps =
        std::nearbyint(std::ldexp(magnitude, format.fractionBits - exponent));
    int64_t field = int64_t(exponent + format.bias - 1) << format.fractionBits;
    int64_t found = field + int64_t(steps);
    code = found > int64_t(largest) ? largest + 1 : unsigned(found);
  }
  bool infinite = std::isinf(magnitude);
  if (code > largest) {
    bool saturates = overflow == Overflow::Saturate ||
                     format.specials == Specials::None ||
                     (overflow == Overflow::KeepInfinity &&
                      !(infinite && format.specials == Specials::Ieee));
    if (!saturates && format.specials != Specials::Ieee)
      return uint8_t(format.specials == Specials::LastIsNan
                         ? format.nanCode() | sign
                         : format.nanCode());
    code = saturates ? largest : largest + 1;
  }
  if (code == 0 && format.specials == Specials::MinusZeroIsNan)
    return 0;
  return uint8_t(code | sign);
}

uint8_t encodeScale(float value, bool saturate, ScaleRounding rounding) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  unsigned exponent = (bits >> 23) & 0xff;
  uint32_t fraction = bits & 0x7fffff;
  if (exponent == 0xff)
    return 0xff;
  bool up = false;
  if (rounding == ScaleRounding::Up)
    up = fraction > 0;
  else if (rounding ==
           ScaleRounding::Nearest) // half rounds up but below 2^-126
    up = fraction > 0x400000 || (fraction == 0x400000 && exponent > 0);
  if (up && exponent == 0xfe && saturate)
    up = false;
  return uint8_t(exponent + up);
}

} // namespace weft::numeric
