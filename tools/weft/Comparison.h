//===- Comparison.h - how far two tensors are apart -------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_COMPARISON_H
#define WEFT_TOOLS_WEFT_COMPARISON_H

#include "runtime/numeric/HostTensor.h"

#include <optional>
#include <string>

namespace weft::cli {

/// Figures of a candidate against a reference; or the reason why there are
/// none.
struct Comparison {
  /// Empty if the two can be compared.
  std::string problem;
  int64_t elements = 0;
  /// a.b / (|a| |b|); 1 if both are all zeros, 0 if one is.
  double cosine = 0;
  /// 10 log10(sum ref^2 / sum (ref - candidate)^2); +infinity if they are
  /// equal.
  double sqnrDb = 0;
  double maxError = 0;  ///< largest |ref - candidate|
  double meanError = 0; ///< mean |ref - candidate|
};

/// Strict by construction: another shape, another element type (unless
/// `anyType`), no element, a NaN or an infinity on either side are problems.
/// bf16 is compared as the float32 that it travels as.
Comparison compareTensors(const numeric::HostTensor &candidate,
                          const numeric::HostTensor &reference, bool anyType);

/// What a comparison must reach.
struct Thresholds {
  double minCosine = 0.99;
  std::optional<double> minSqnrDb;
};

/// Why `comparison` fails: its problem, or the figure that is too low and its
/// limit. Empty if it passes.
std::string failureReason(const Comparison &comparison,
                          const Thresholds &thresholds);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_COMPARISON_H
