//===- QuantScale.cpp - scales as integers --------------------------------===//

#include "passes/quantize/QuantScale.h"

#include <algorithm>
#include <cmath>

using namespace weft::quantize;

std::optional<QuantScale> weft::quantize::splitScale(double scale) {
  if (!(scale >= 0x1p-32 && scale <= 0x1p30))
    return std::nullopt;
  int exponent;
  double fraction = std::frexp(
      scale, &exponent); // scale = fraction * 2^exponent, fraction in [1/2, 1)
  int64_t multiplier = std::llround(std::ldexp(fraction, 31));
  int rshift = 31 - exponent;
  if (multiplier == int64_t(1) << 31) { // rounded up to the next power of two
    multiplier >>= 1;
    --rshift;
  }
  if (rshift < 0 || rshift > 62)
    return std::nullopt;
  return QuantScale{static_cast<int32_t>(multiplier), rshift};
}

double weft::quantize::usableThreshold(double threshold) {
  constexpr double kOfZeros = 1e-5;
  return threshold >= kSmallestThreshold ? threshold : kOfZeros;
}

double weft::quantize::symmetricScale(double threshold, bool isSigned) {
  double levels = isSigned ? kSignedLevels : kUnsignedLevels;
  return static_cast<float>(usableThreshold(threshold) / levels);
}

ZeroPointScale weft::quantize::zeroPointScale(double low, double high) {
  double scale =
      static_cast<float>(usableThreshold(high - low) / kUnsignedLevels);
  int64_t zeroPoint = INT8_MIN + std::llround(-low / scale);
  return {scale, std::clamp<int64_t>(zeroPoint, INT8_MIN, INT8_MAX)};
}
