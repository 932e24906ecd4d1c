//===- Statistics.h - how the numbers of a layer are spread -----*- C++ -*-===//
//
// What a person looks at when figures are not enough: histograms and the use of
// codes. Nothing here decides.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_COMPARISON_STATISTICS_H
#define WEFT_TOOLS_COMPARISON_STATISTICS_H

#include "runtime/numeric/HostTensor.h"

#include <optional>
#include <vector>

namespace weft::comparison {

/// How many numbers lie in each of equal parts of a range. The first and the
/// last part have what is beyond it, too; NaNs and infinities are left out.
struct Histogram {
  double least = 0, most = 0; ///< the range; equal: all numbers are this one
  std::vector<uint32_t> counts;
};

/// The codes of a quantized value, in reals.
struct CodeRange {
  double step = 0; ///< 0: not quantized
  double least = 0, most = 0;
};

/// How many elements have the code at an end of the range, and of these how
/// many the range cut off: the reference is beyond it. Shares of all elements.
struct Saturation {
  double atLeast = 0, atMost = 0;
  double cutAtLeast = 0, cutAtMost = 0;
};

struct Statistics {
  /// Of one range.
  Histogram result, reference;
  /// Result - reference; and result - `own`. Of one range around 0.
  Histogram error;
  std::optional<Histogram> addedError;
  std::optional<Saturation> saturation;
};

inline constexpr size_t kHistogramParts = 64;

/// Of tensors with the same number of elements, at least one. `own`: what the
/// layer should have given for the inputs that it had; may be null. Ranges end
/// eight deviations from the mean (of errors: from 0), so that a few far
/// numbers do not leave all others in one part.
Statistics statisticsOf(const numeric::HostTensor &result,
                        const numeric::HostTensor &reference,
                        const numeric::HostTensor *own, const CodeRange &codes);

} // namespace weft::comparison

#endif // WEFT_TOOLS_COMPARISON_STATISTICS_H
