//===- Metrics.h - how far a tensor is from another -------------*- C++ -*-===//

#ifndef WEFT_TOOLS_COMPARISON_METRICS_H
#define WEFT_TOOLS_COMPARISON_METRICS_H

#include "runtime/numeric/HostTensor.h"
#include "tools/comparison/Limits.h"

#include <optional>
#include <string>
#include <vector>

namespace weft::comparison {

/// A result as a straight line of the reference and what is left over:
/// result - mean = gain * (reference - mean) + rest.
struct Line {
  double gain = 1;
  /// Of the gain, if the rest is noise.
  double gainError = 0;
  /// Mean of result - reference, and its error likewise.
  double bias = 0, biasError = 0;

  /// How far the gain is from 1, and the bias from 0, noise aside.
  double surelyOff() const;
  double surelyBiased() const;
};

/// Fewer elements say little of a line.
inline constexpr double kFewestOfLine = 8;

/// The elements of a tensor that have one index along one axis.
struct Slice {
  int64_t axis = 0, index = 0;
  /// Of its numbers around their mean; of those of a slice that should be
  /// constant the signal is that of the whole.
  double sqnrDb = 0;
  /// Of the reference.
  double deviation = 0;
  /// Of a slice that varies.
  std::optional<Line> line;

  /// How far the bias is from 0, noise aside; for a slice that varies.
  double biasInDeviations() const { return line->surelyBiased() / deviation; }
};

/// A move by one element that explains the difference.
struct Shift {
  int64_t axis = 0;
  int64_t by = 0; ///< the result's element i is the reference's element i + by
  /// The mean squared error by what it is after the move.
  double factor = 1;
};

/// Figures of a result against a reference; or the reason why there are none.
struct Metrics {
  /// Empty if the two can be compared.
  std::string problem;
  int64_t elements = 0;
  /// NaNs and infinities that the other side has not.
  int64_t nonFiniteResult = 0, nonFiniteReference = 0;
  /// a.b / (|a| |b|); 1 if both are all zeros, 0 if one is.
  double cosine = 0;
  /// 10 log10(sum ref^2 / sum (ref - result)^2); +infinity if they are equal.
  double sqnrDb = 0;
  double maxError = 0;    ///< largest |ref - result|
  int64_t maxErrorAt = 0; ///< row-major place of that element
  double meanError = 0;   ///< mean |ref - result|
  /// |result| / |reference|; 1 if both are all zeros.
  double normRatio = 1;
  /// Elements that both sides have beyond all others, as a mask has them, or
  /// infinite: they are in no other figure.
  int64_t setAside = 0;
  /// Of the reference.
  double range = 0, deviation = 0;
  double most = 0; ///< largest |reference|
  /// maxError beyond a few steps of the numbers around the mean: sums of
  /// probabilities are one number but for its last places.
  double spike = 0;
  /// The reference has whole numbers alone: classes or counts, which jump where
  /// there is a tie.
  bool isWhole = false;
  /// Of the whole; std::nullopt where the reference does not vary by more than
  /// numbers of the precision can show.
  std::optional<Line> line;
  /// For each axis of several slices the worst of those whose signal is above
  /// the noise of the others: the one of the least SQNR, the one whose gain is
  /// off most, the one with the largest bias.
  std::vector<Slice> worstSlices, worstGains, worstBiases;
  /// Share of the slices along the axis where it is largest in which the result
  /// is constant and the reference is not.
  double deadSlices = 0;
  int64_t deadAxis = 0;
  std::vector<int64_t> deadIndices; ///< of these slices
  /// Of rows that add up to 1 along `rowAxis`.
  std::optional<double> logSqnrDb;
  int64_t rowAxis = 0;
  /// Share of those rows with the same largest element, and of the five largest
  /// of each row that are among the result's five.
  double top1 = 1, top5 = 1;
  /// The move by one element that lessens the error most, if one does.
  std::optional<Shift> shift;
  /// Integers and bools: elements that differ.
  std::optional<int64_t> unequal;
};

/// What is known of numbers that are compared.
struct Kind {
  Precision precision = Precision::F32;
  /// Distance of neighbouring codes in reals, of a quantized tensor; 0: none.
  double step = 0;
  /// Element types may differ.
  bool anyType = false;
  /// The largest number of the type that the result is stored in, of a value
  /// inside of the net; 0: not known. A mask beyond it (-3.4e38 in f16) may be
  /// an infinity.
  double mostStored = 0;
};

/// Strict by construction: another shape, another element type (unless
/// `anyType`), a NaN or an infinity that the other side has not, and a NaN of
/// the reference are problems. Without an element on either side the two are
/// equal, and nothing is compared.
/// bf16 is compared as the float32 that it travels as.
Metrics measure(const numeric::HostTensor &result,
                const numeric::HostTensor &reference, const Kind &kind);

/// Why `metrics` fail: their problem, or each figure that misses its limit with
/// both. Empty if they pass.
std::vector<std::string> failures(const Metrics &metrics, const Limits &limits);

} // namespace weft::comparison

#endif // WEFT_TOOLS_COMPARISON_METRICS_H
