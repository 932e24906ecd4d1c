//===- QuantScale.h - scales as integers ----------------------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_QUANTSCALE_H
#define WEFT_PASSES_QUANTIZE_QUANTSCALE_H

#include <cstdint>
#include <optional>

namespace weft::quantize {

/// multiplier * 2^-rshift.
struct QuantScale {
  int32_t multiplier; ///< in [2^30, 2^31)
  int32_t rshift;     ///< in [0, 62], bits to the right
};

/// Splits a real scale into multiplier * 2^-rshift with relative error < 2^-31.
/// std::nullopt unless `scale` lies in [2^-32, 2^30]. Used by rq1 (PPL 4.6.7);
/// the machine rounds half up after the shift.
std::optional<QuantScale> splitScale(double scale);

/// Largest step of a symmetric 8-bit tensor: 127 signed, 255 unsigned (-128 is
/// in range but no scale maps to it).
constexpr int kSignedLevels = 127;
constexpr int kUnsignedLevels = 255;

/// Scale S (value = S * q) of a symmetric 8-bit tensor whose magnitude is
/// clipped at `threshold`, as the machine holds it: rounded to f32. A threshold
/// below 1e-5 counts as 1e-5, so an all-zero tensor has a scale.
double symmetricScale(double threshold, bool isSigned);

/// S and Z of signed codes: value = S * (q - Z).
struct ZeroPointScale {
  double scale;      ///< as the machine holds it: rounded to f32
  int64_t zeroPoint; ///< in [-128, 127]
};

/// All 256 signed codes for the range [low, high], low <= 0 <= high. 0 is a
/// code, so each end moves by at most half a step. A range below 1e-5 counts as
/// that wide.
ZeroPointScale zeroPointScale(double low, double high);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_QUANTSCALE_H
