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

/// Smaller magnitudes count as zeros: histograms do not tell them apart.
constexpr double kSmallestThreshold = 0x1p-64;

/// `threshold`, or 1e-5 for what counts as zeros everywhere, so that it has a
/// scale. That is not the smallest threshold: what takes such a tensor for a
/// summand or factor has to express its steps in the machine's shifts.
double usableThreshold(double threshold);

/// Scale S (value = S * q) of a symmetric 8-bit tensor whose magnitude is
/// clipped at usableThreshold(threshold), as the machine holds it: rounded to
/// f32.
double symmetricScale(double threshold, bool isSigned);

/// S and Z of signed codes: value = S * (q - Z).
struct ZeroPointScale {
  double scale;      ///< as the machine holds it: rounded to f32
  int64_t zeroPoint; ///< in [-128, 127]
};

/// All 256 signed codes for the range [low, high], low <= 0 <= high. 0 is a
/// code, so each end moves by at most half a step. The width is
/// usableThreshold(high - low).
ZeroPointScale zeroPointScale(double low, double high);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_QUANTSCALE_H
