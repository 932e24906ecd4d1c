//===- Functions.h - the unary functions under test -----------*- C++ -*-===//

#ifndef WEFT_TESTS_PPL_BDC_FUNCTIONS_H
#define WEFT_TESTS_PPL_BDC_FUNCTIONS_H

#include "ppl/tensor.h"

#include <string>
#include <vector>

#include <mpfr.h>

namespace weft::test {

/// Where the kernels below put their buffers: bytes of a lane.
struct Places {
  uint32_t dst = 0, src = 0x8000, work0 = 0x10000, work1 = 0x18000,
           coeff = 0x20000, table = 0x20400;
};

/// One fp32 function of ppl/tpu_bdc.h.
struct Function {
  std::string name; ///< without the prefix tpu_bdc_, with its parameter
  /// Records the loader and the function.
  void (*record)(const Places &places, const ppl::dim4 &shape);
  /// The vendor's arithmetic; subnormals must be flushed by the caller.
  float (*vendor)(float x);
  /// The mathematical value of the documented function in `out`, rounded to
  /// the precision of `out`; x is its value on entry.
  void (*exact)(mpfr_t out);
  /// Arguments are drawn from [low, high], half of them with uniform bits (one
  /// binade as often as another), half uniform from [coreLow, coreHigh].
  float low, high, coreLow, coreHigh;
  /// Borders of the rows of the table: x from one to the next.
  std::vector<float> borders;
  /// Largest error in ulp that the documentation states, for |x| of the two
  /// numbers below.
  double bound;
  float boundedFrom = 0, boundedUpTo = 0x1.fffffep127f;
};

const std::vector<Function> &functions();

} // namespace weft::test

#endif // WEFT_TESTS_PPL_BDC_FUNCTIONS_H
