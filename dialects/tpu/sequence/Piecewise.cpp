//===- Piecewise.cpp - functions that differ by the sign of x -------------===//

#include "dialects/tpu/sequence/Functions.h"

#include <cmath>

using namespace weft;
using namespace weft::tpu;
using namespace weft::tpu::sequence;

// Where a comparison decides, it is written so that a NaN comes out: it is
// "less" than everything and greater than nothing.

Real sequence::sign(Real x) {
  // The smallest normal number times 2^127 is 2.
  return atMost(atLeast(x * 0x1p127, -1.0), 1.0);
}

Real sequence::elu(Real x, double alpha) {
  return choose(isLess(x, 0.0), expm1OfNegative(x) * alpha, x);
}

Real sequence::celu(Real x, double alpha) {
  return choose(isLess(x, 0.0), expm1OfNegative(x * (1 / alpha)) * alpha, x);
}

Real sequence::selu(Real x, double alpha, double gamma) {
  return choose(isLess(x, 0.0), expm1OfNegative(x) * (alpha * gamma),
                x * gamma);
}

Real sequence::thresholdedRelu(Real x, double alpha) {
  // x <= alpha is x < next: a comparison that is false beside a NaN.
  float next = std::nextafterf(static_cast<float>(alpha), kInfinity);
  return choose(isGreater(next, x), 0.0, x);
}

Real sequence::shrink(Real x, double lambda, double bias) {
  Real right = choose(isGreater(x, lambda), x - bias, 0.0);
  return choose(isLess(x, -lambda), x + bias, right);
}

Real sequence::softsign(Real x) {
  Real t = atMost(atLeast(x, -1e30), 1e30); // the quotient needs it finite
  return t / (abs(t) + 1.0);
}

Real sequence::isNaN(Real x) {
  Word size = bitsOf(x) & Word(0x7fffffff);
  return choose(isGreater(size, Word(0x7f800000)), 1.0, 0.0);
}

Real sequence::isInfinite(Real x, bool negative, bool positive) {
  double wanted = positive ? kInfinity : -kInfinity;
  // Neither sign counts: nothing is greater than infinity.
  if (!negative && !positive)
    return choose(isGreater(x, kInfinity), 1.0, 0.0);
  return choose(isSame(negative && positive ? abs(x) : x, wanted), 1.0, 0.0);
}
