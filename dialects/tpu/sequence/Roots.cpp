//===- Roots.cpp - roots, powers and remainders ---------------------------===//

#include "dialects/tpu/sequence/Functions.h"

using namespace weft;
using namespace weft::tpu;
using namespace weft::tpu::sequence;
using numeric::Rounding;

Real sequence::sqrt(Real x) {
  // The root of infinity is infinity times a small number; that of a negative
  // number, or of a NaN, which is "less", is NaN.
  Real root = x * rsqrtOfFinite(atMost(x, kLargest));
  return choose(isLess(x, 0.0), kNaN, root);
}

Real sequence::rsqrt(Real x) {
  Real outside = choose(isLess(x, 0.0), kNaN, kInfinity);
  Real inside =
      choose(isSame(x, kInfinity), 0.0, rsqrtOfFinite(atMost(x, kLargest)));
  return choose(isGreater(x, 0.0), inside, outside);
}
