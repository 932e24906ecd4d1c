//===- Trigonometric.cpp - circular functions and their inverses ----------===//
//
// Coefficients as in Exponential.cpp.
//
//===----------------------------------------------------------------------===//

#include "dialects/tpu/sequence/Functions.h"

using namespace weft;
using namespace weft::tpu;
using namespace weft::tpu::sequence;
using numeric::Rounding;

static constexpr double kHalfPi = 1.57079632679489662;

namespace {
/// sin and cos of x less a multiple of pi/2, and that multiple.
struct Quarter {
  Real sine, cosine;
  Word count;
};
} // namespace

static Quarter quarterOf(Real x) {
  // pi/2 in four parts of 8, 8, 8 and 24 bits (Cody and Waite): the products
  // with counts up to 2^16 are exact.
  constexpr double kParts[] = {0x1.92p+0, 0x1.fap-12, 0x1.54p-20,
                               0x1.10b462p-30};
  Real count = rounded(x * (1 / kHalfPi), Rounding::HalfToEven);
  Real r = x;
  for (double part : kParts)
    r = r - count * part;
  Real square = r * r;
  // sin r = r + r^3 P, 6e-12; cos r = 1 - r^2/2 + r^4 Q, 2e-13.
  Real sine = r + r * square *
                      polynomial(square, {-1.666666664e-01, 8.333328890e-03,
                                          -1.983917608e-04, 2.716810004e-06});
  Real cosine =
      polynomial(square, {1.0, -0.5, 4.166666662e-02, -1.388888311e-03,
                          2.479935026e-05, -2.719629876e-07});
  return {sine, cosine, toInteger(count, Rounding::HalfToEven)};
}

/// Sine of a quarter turned by `turns` more quarters.
static Real turned(const Quarter &quarter, int turns) {
  Word count = turns ? quarter.count + Word(turns) : quarter.count;
  Real size =
      choose(isSame(count & Word(1), Word(0)), quarter.sine, quarter.cosine);
  return withSign(size, shiftedLogically(count & Word(2), 30));
}

Real sequence::sin(Real x) { return turned(quarterOf(x), 0); }
Real sequence::cos(Real x) { return turned(quarterOf(x), 1); }

Real sequence::tan(Real x) {
  Quarter quarter = quarterOf(x);
  Word odd = quarter.count & Word(1);
  Condition isEven = isSame(odd, Word(0));
  Real size = choose(isEven, quarter.sine, quarter.cosine) /
              choose(isEven, quarter.cosine, quarter.sine);
  return withSign(size, shiftedLogically(odd, 31));
}

Real sequence::atan(Real x) {
  // atan(t) = pi/2 - atan(1/t): min(t, 1) / max(t, 1) is the one of t and 1/t
  // in [0, 1]. The divisor stays finite. Polynomial: 4e-10.
  Real t = abs(x);
  Real u = atMost(t, 1.0) / atMost(atLeast(t, 1.0), 1e30);
  Real y = u * polynomial(u * u,
                          {1.0, -3.333332393e-01, 1.999960462e-01,
                           -1.427915937e-01, 1.105449960e-01, -8.798766398e-02,
                           6.716095520e-02, -4.435733669e-02, 2.227422709e-02,
                           -7.199326377e-03, 1.091099700e-03});
  y = choose(isGreater(t, 1.0), Real(kHalfPi) - y, y);
  return withSign(y, signOf(x));
}

namespace {
/// asin of |x| <= 1/2, else asin of sqrt((1 - |x|) / 2).
struct HalfAngle {
  Real angle;
  Condition isLarge; ///< |x| > 1/2
};
} // namespace

static HalfAngle halfAngle(Real x) {
  // asin(s) = s + s^3 P(s^2) for s <= 1/2; 5e-9. Beyond |x| = 1 the root is
  // that of a negative number.
  Real t = abs(x);
  Condition isLarge = isGreater(t, 0.5);
  Real square = choose(isLarge, (Real(1.0) - t) * 0.5, t * t);
  Real s = choose(isLarge, sqrt(square), t);
  Real series =
      polynomial(square, {1.666675393e-01, 7.495241777e-02, 4.547709711e-02,
                          2.414761186e-02, 4.221854613e-02});
  return {s + s * square * series, isLarge};
}

Real sequence::asin(Real x) {
  HalfAngle half = halfAngle(x);
  Real y = choose(half.isLarge, half.angle * -2.0 + kHalfPi, half.angle);
  return withSign(y, signOf(x));
}

Real sequence::acos(Real x) {
  HalfAngle half = halfAngle(x);
  Real twice = half.angle + half.angle;
  Real large = choose(isGreater(x, 0.0), twice, twice * -1.0 + 2 * kHalfPi);
  Real small = Real(kHalfPi) - withSign(half.angle, signOf(x));
  return choose(half.isLarge, large, small);
}
