/// Floats of 8 bits and less: their codes and values.
#ifndef WEFT_RUNTIME_NUMERIC_SMALLFLOATS_H
#define WEFT_RUNTIME_NUMERIC_SMALLFLOATS_H

#include "runtime/numeric/HostTensor.h"

namespace weft::numeric {

/// Rounding to powers of two (F8E8M0).
enum class ScaleRounding { Up, Down, Nearest };
/// ONNX's word for it: "up", "down" or "nearest".
std::optional<ScaleRounding> parseScaleRounding(std::string_view word);

/// A type of sign, exponent and fraction; the exponent field 0 holds the
/// subnormal numbers.
struct SmallFormat {
  /// What the codes with the highest magnitudes mean.
  enum class Specials {
    None,           ///< all codes are finite
    LastIsNan,      ///< magnitude all ones is NaN, no infinity
    Ieee,           ///< exponent all ones: infinity and NaNs
    MinusZeroIsNan, ///< the code of -0 is the only NaN, no infinity
  };

  int exponentBits, fractionBits, bias;
  Specials specials;

  unsigned signBit() const { return 1u << (exponentBits + fractionBits); }
  /// The largest code of a positive number that is finite.
  unsigned largestFinite() const;
  /// The code that a NaN becomes; -0 where there is none.
  uint8_t nanCode() const;
};
/// nullptr for types of more than 8 bits, and for F8E8M0, which has neither
/// sign nor fraction.
const SmallFormat *smallFormat(ElementType type);

/// True for the float types of 8 bits and less, F8E8M0 included.
bool isSmallFloat(ElementType type);

/// The value of a code.
double decodeSmallFloat(ElementType type, uint8_t code);

/// What becomes of values beyond the largest finite one, infinities included.
enum class Overflow {
  Saturate,     ///< the largest finite value
  Special,      ///< infinity, or NaN for types without; types without either
                ///< saturate
  KeepInfinity, ///< as Saturate, but infinities stay infinite where the type
                ///< has them
};

/// The nearest code, ties to the even one, of a type that is not F8E8M0. A NaN
/// stays one; types without NaN give -0, as Python's ml_dtypes.
uint8_t encodeSmallFloat(ElementType type, double value, Overflow overflow);

/// A power of two as F8E8M0 has them, as ONNX's Cast defines it: from the
/// exponent of `value` as f32; NaN and infinities give NaN, 0 the smallest
/// power. Values above the largest one saturate or give NaN.
uint8_t encodeScale(float value, bool saturate, ScaleRounding rounding);

} // namespace weft::numeric

#endif
