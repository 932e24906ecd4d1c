//===- Accuracy.h - errors against correctly rounded values ---*- C++ -*-===//

#ifndef WEFT_TESTS_PPL_BDC_ACCURACY_H
#define WEFT_TESTS_PPL_BDC_ACCURACY_H

#include "tests/ppl/bdc/Functions.h"

namespace weft::test {

/// Errors in ulp: |value - exact| over the distance of the fp32 numbers around
/// exact (2^-149 below 2^-126, where zero counts as right).
struct Errors {
  double most = 0, sum = 0;
  float worst = 0;     ///< the argument of `most`
  int64_t rounded = 0; ///< nearest numbers
  /// Infinite or NaN where the exact value is not, or of the wrong sign. These
  /// make `most` and `sum` infinite; the finite ones add up here.
  int64_t lost = 0;
  double mostFinite = 0, sumFinite = 0;
  void add(float x, float value, double exact);
};

struct RangeErrors {
  float low = 0, high = 0;
  int64_t samples = 0;
  Errors ours, vendor;
};

/// The argument number `index` of a function.
float sampleOf(const Function &function, uint64_t index);
/// The exact value rounded to double: MPFR at 53 bits.
double exactOf(const Function &function, float x);

/// Runs the samples [first, first + count) through the sequence on a
/// LaneMachine and through the vendor's formula. One entry a range, the last
/// one for all.
std::vector<RangeErrors> measure(const Function &function, uint64_t first,
                                 uint64_t count);

} // namespace weft::test

#endif // WEFT_TESTS_PPL_BDC_ACCURACY_H
