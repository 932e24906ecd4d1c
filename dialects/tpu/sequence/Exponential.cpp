//===- Exponential.cpp - exp, log and what is made of them ----------------===//
//
// Coefficients are minimax fits by Lawson's iteration in double precision; the
// bound beside each is the largest error of the exact polynomial or quotient,
// relative to the function.
//
//===----------------------------------------------------------------------===//

#include "dialects/tpu/sequence/Functions.h"

using namespace weft;
using namespace weft::tpu;
using namespace weft::tpu::sequence;
using numeric::Rounding;

//===----------------------------------------------------------------------===//
// exp
//===----------------------------------------------------------------------===//

namespace {
/// x = count ln 2 + rest with |rest| <= ln 2 / 2.
struct Reduced {
  Real count, rest;
};
} // namespace

/// Cody and Waite: the first part of ln 2 has 9 bits, so count * high is exact.
static Reduced modLn2(Real x) {
  constexpr double kLog2E = 1.4426950408889634, kHigh = 0.693359375,
                   kLow = -2.12194440e-4;
  Real count = rounded(x * kLog2E, Rounding::HalfToEven);
  return {count, (x - count * kHigh) - count * kLow};
}

/// 2^(count + offset) by writing the exponent field: 0 for -127, infinite for
/// 128, undefined beyond.
static Real powerOfTwo(Real count, int offset) {
  Word exponent = toInteger(count, Rounding::HalfToEven) + Word(127 + offset);
  return realOf(shiftedLogically(exponent, 23));
}

/// scale * e^x for |x| <= ln 2 / 2; 2e-9.
static Real expOfRest(Real x, double scale) {
  std::vector<double> coefficients{
      1.000000001e+00, 1.000000039e+00, 4.999999159e-01, 1.666641024e-01,
      4.166828881e-02, 8.375645004e-03, 1.383579761e-03};
  for (double &coefficient : coefficients)
    coefficient *= scale;
  return polynomial(x, coefficients);
}

/// exp(x) for x that powerOfTwo() below can be asked for.
///
/// Between -87.5 and 89.4 the power has an exponent of -127 (zero) to 128
/// (infinity). It is half of what it should be and the series twice, so that
/// the largest finite results do not meet an infinite power.
static Real expOfBounded(Real x, int halvings = 0) {
  Reduced r = modLn2(x);
  return expOfRest(r.rest, 2.0) * powerOfTwo(r.count, -1 - halvings);
}

/// exp(x) / 2^halvings.
static Real expOver(Real x, int halvings) {
  constexpr double kLn2 = 0.69314718055994531;
  double lowest = -87.5 + halvings * kLn2, highest = 89.4 + halvings * kLn2;
  return expOfBounded(atMost(atLeast(x, lowest), highest), halvings);
}

Real sequence::scaledExp(Real x, Real count) {
  return expOfRest(x, 2.0) * powerOfTwo(count, -1);
}

Real sequence::exp(Real x) { return expOver(x, 0); }
Real sequence::halfExp(Real x) { return expOver(x, 1); }

Real sequence::expm1OfNegative(Real x) {
  // 2^k (e^r - 1) + (2^k - 1); e^r - 1 = r q(r) keeps small arguments exact.
  // q: 2.5e-10.
  Reduced r = modLn2(atLeast(x, -30.0));
  Real power = powerOfTwo(r.count, 0);
  Real series =
      r.rest * polynomial(r.rest, {1.0, 5.000000050e-01, 1.666666622e-01,
                                   4.166634179e-02, 8.333405732e-03,
                                   1.394205210e-03, 1.984124574e-04});
  return series * power + (power - 1.0);
}

//===----------------------------------------------------------------------===//
// log
//===----------------------------------------------------------------------===//

Decomposed sequence::decompose(Real x) {
  constexpr int32_t kRootOfHalf = 0x3f3504f3;
  Word exponent = shiftedArithmetically(bitsOf(x) - Word(kRootOfHalf), -23);
  Real mantissa = realOf(bitsOf(x) - shiftedLogically(exponent, 23));
  return {toReal(exponent), mantissa - 1.0};
}

std::vector<double> sequence::logTail(double scale) {
  std::vector<double> coefficients{-0.5,
                                   3.333331044e-01,
                                   -2.499998663e-01,
                                   2.000222663e-01,
                                   -1.666924941e-01,
                                   1.421865664e-01,
                                   -1.238437179e-01,
                                   1.187300970e-01,
                                   -1.178968535e-01,
                                   6.915148647e-02};
  for (double &coefficient : coefficients)
    coefficient *= scale;
  return coefficients;
}

/// log(x) for 0 < x < inf; anything for other x.
static Real logOfPositive(Real x) {
  // log(1 + f) = f - f^2/2 + f^3 P(f), P within 7e-10 / f^2; ln 2 in two parts.
  Decomposed d = decompose(x);
  Real f = d.fraction, square = f * f;
  std::vector<double> tail = logTail(1.0);
  tail.erase(tail.begin()); // its -f^2/2 is added last
  Real cubic = polynomial(f, tail) * f * square;
  Real small = (cubic + d.exponent * -2.12194440e-4) - square * 0.5;
  return d.exponent * 0.693359375 + (f + small);
}

Real sequence::log(Real x) {
  Real outside = choose(isLess(x, 0.0), kNaN, -kInfinity); // NaN is "less"
  Real inside = choose(isSame(x, kInfinity), kInfinity, logOfPositive(x));
  return choose(isGreater(x, 0.0), inside, outside);
}

Real sequence::log1p(Real x) {
  // With w = fl(1 + x), log(1 + x) = log(w) + (x - (w - 1)) / w to first order.
  // From 2^25 on the second term is nothing (and inf - inf at infinity).
  Real sum = x + 1.0;
  Real lost = (x - (sum - 1.0)) / sum;
  return log(sum) + choose(isGreater(x, 0x1p25), 0.0, lost);
}

//===----------------------------------------------------------------------===//
// Logistic functions
//===----------------------------------------------------------------------===//

/// 1 / x for 1 <= x < 1.6e38, within 2 ulp, 0 where that is subnormal: Newton's
/// iteration from a guess that is wrong by at most an eighth, in two thirds of
/// the time of a division.
static Real reciprocalOfFinite(Real x) {
  constexpr int32_t kGuess = 0x7ef311c7; // of the bits, less those of x
  Real guess = realOf(Word(kGuess) - bitsOf(x));
  for (int iteration = 0; iteration < 3; ++iteration)
    guess = guess * (Real(2.0) - x * guess);
  return guess;
}

Real sequence::sigmoid(Real x) {
  // e^87.9 is below the largest number that has a guess.
  Real exponent = atMost(atLeast(x * -1.0, -87.5), 87.9);
  return reciprocalOfFinite(expOfBounded(exponent) + 1.0);
}

Real sequence::swish(Real x, double alpha) {
  return x * sigmoid(alpha == 1.0 ? x : x * alpha);
}

/// 1 / x for 1 <= x < 2^127, 0 where that is subnormal. A guess times x lies
/// between 1 and 9/8, of which `inverse` has the reciprocal.
static Real guessedReciprocal(Real x, const std::vector<double> &inverse) {
  constexpr int32_t kGuess = 0x7f000000; // of the bits, less those of x
  Real guess = realOf(Word(kGuess) - bitsOf(x));
  return guess * polynomial(x * guess, inverse);
}

/// 5e-5.
static Real reciprocal16(Real x) {
  return guessedReciprocal(
      x, {2.828426741e+00, -2.664353112e+00, 8.358753545e-01});
}

std::vector<double> sequence::powerSeries16() {
  return {9.999992614e-01, 6.931218144e-01, 2.402474498e-01, 5.591786329e-02,
          9.570097072e-03};
}

std::vector<double> sequence::powerSeriesOfHalves() {
  return {1.0, 6.932829340e-01, 2.422110019e-01, 5.500891882e-02};
}

/// 2^x for -126.5 <= x <= 126.5, 0 where that is subnormal; 3e-6.
static Real powerOfTwo16(Real x) {
  // In x + 1.5 * 2^23 the last bits of the mantissa are the nearest whole
  // number, which goes to the exponent of 2 to the rest.
  constexpr double kOnes = 0x1.8p23;
  Real counted = x + kOnes;
  Real ofRest = polynomial(x - (counted - kOnes), powerSeries16());
  return realOf(bitsOf(ofRest) + shiftedLogically(bitsOf(counted), 23));
}

/// 1 / (1 + 2^x). The guess for 2^126 and more is subnormal, thus 0.
static Real sigmoidOfPower16(Real x) {
  return reciprocal16(powerOfTwo16(atMost(atLeast(x, -126.5), 126.5)) + 1.0);
}

static constexpr double kLog2E = 1.4426950408889634;

Real sequence::sigmoid16(Real x) { return sigmoidOfPower16(x * -kLog2E); }

Real sequence::swish16(Real x, double alpha) {
  return x * sigmoidOfPower16(x * (-kLog2E * alpha));
}

/// x / (1 + 2^power) in f16 commands, for powers up to 15.
static Real productOfHalves(Real x, Real power) {
  // As sigmoidOfPower16(); 1.5 * 2^10 has the whole numbers in its last bits.
  // The reciprocal's polynomial is of the difference from 1, which f16 has
  // exactly.
  constexpr double kOnes = 0x1.8p10;
  Real bounded = atLeast(power, -14.0);
  Real counted = bounded + kOnes;
  Real ofRest = polynomial(bounded - (counted - kOnes), powerSeriesOfHalves());
  Real sum =
      realOf(bitsOf(ofRest) + shiftedLogically(bitsOf(counted), 10)) + 1.0;
  Real guess = realOf(Word(0x7800) - bitsOf(sum));
  Real inverse =
      polynomial(sum * guess - 1.0, {1.0, -9.942994025e-01, 8.469043248e-01});
  return x * (guess * inverse);
}

Real sequence::swishOfHalves(Real x, double alpha) {
  Real bounded = atLeast(x, -10.4 / alpha);
  return productOfHalves(bounded, bounded * (-kLog2E * alpha));
}

/// log(1 + x) for 0 <= x <= 1: 2 atanh(s), s = x / (2 + x) <= 1/3; 3e-12.
static Real log1pOfUnit(Real x) {
  Real s = x / (x + 2.0);
  return s * polynomial(s * s,
                        {2.0, 6.666666623e-01, 4.000006254e-01, 2.856810279e-01,
                         2.230587574e-01, 1.711653427e-01, 2.187861349e-01});
}

Real sequence::softplus(Real x) {
  return log1pOfUnit(exp(abs(x) * -1.0)) + atLeast(x, 0.0);
}

Real sequence::mish(Real x) {
  // tanh(log(1 + e)) = n / (n + 2) with n = e (e + 2), e = exp(x). From 20 on
  // the quotient is 1, and n must not overflow.
  Real e = exp(atMost(x, 20.0));
  Real n = e * (e + 2.0);
  return x * (n / (n + 2.0));
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

namespace {
/// upper / lower with lower >= 1.
struct Fraction {
  Real upper, lower;
};
} // namespace

static Real withinOne(Real x) { return atMost(atLeast(x, -1.0), 1.0); }

static Real quotientOf(const Fraction &f) {
  return f.upper * reciprocalOfFinite(f.lower);
}

static Real quotient16(const Fraction &f) {
  return f.upper * reciprocal16(f.lower);
}

static Fraction tanhOf(Real x) {
  // x P(x^2) / Q(x^2) on [-9, 9]; 2e-8. tanh(9) is 1 - 3e-8.
  Real t = atMost(atLeast(x, -9.0), 9.0), square = t * t;
  return {
      t * polynomial(square, {9.999999795e-01, 1.338103914e-01, 3.495603395e-03,
                              2.060930356e-05, 1.335491335e-08}),
      polynomial(square, {1.0, 4.671435476e-01, 2.587704226e-02,
                          3.285658481e-04, 7.776672870e-07})};
}

Real sequence::tanh(Real x) { return withinOne(quotientOf(tanhOf(x))); }

Real sequence::tanh16(Real x) { return withinOne(quotient16(tanhOf(x))); }

/// exp(|x|) / 2 and exp(-|x|) / 2.
static std::pair<Real, Real> halfExps(Real magnitude) {
  Real grown = halfExp(magnitude);
  return {grown, Real(0.25) / atMost(grown, 1e30)};
}

Real sequence::sinh(Real x) {
  // Small arguments: x + x^3 P(x^2), 6e-11; elsewhere e and 1/e differ enough.
  Real t = abs(x), square = t * t;
  Real small = t + t * square *
                       polynomial(square, {1.666666649e-01, 8.333350598e-03,
                                           1.983606625e-04, 2.817439652e-06});
  auto [grown, shrunk] = halfExps(t);
  return withSign(choose(isGreater(t, 1.0), grown - shrunk, small), signOf(x));
}

Real sequence::cosh(Real x) {
  auto [grown, shrunk] = halfExps(abs(x));
  return grown + shrunk;
}

Real sequence::asinh(Real x) {
  // t + sqrt(t^2 + 1) - 1 = t + t^2 / (1 + sqrt(t^2 + 1)), which keeps small t.
  // From 1e8 on asinh(t) = log(t) + log 2, and t^2 need not be finite.
  Real t = abs(x), bounded = atMost(t, 1e8), square = bounded * bounded;
  Real excess = bounded + square / (sqrt(square + 1.0) + 1.0);
  Real large = log(t) + 0.69314718055994531;
  return withSign(choose(isGreater(t, 1e8), large, log1p(excess)), signOf(x));
}

Real sequence::acosh(Real x) {
  // With t = x - 1: log1p(t + sqrt(t (t + 2))). Below 1 the root or the
  // logarithm is that of a negative number.
  Real t = x - 1.0, bounded = atMost(t, 1e8);
  Real near = log1p(bounded + sqrt(bounded * (bounded + 2.0)));
  return choose(isGreater(t, 1e8), log(x) + 0.69314718055994531, near);
}

Real sequence::atanh(Real x) {
  Real t = abs(x);
  Real y = log1p((t + t) / (Real(1.0) - t)) * 0.5;
  return withSign(y, signOf(x));
}

//===----------------------------------------------------------------------===//
// Error function
//===----------------------------------------------------------------------===//

static Fraction erfOf(Real x) {
  // x P(x^2) / Q(x^2) on [-3.95, 3.95]; 2e-8. erf(3.95) is 1 - 2.3e-8.
  Real t = atMost(atLeast(x, -3.95), 3.95), square = t * t;
  return {
      t * polynomial(square,
                     {1.128379144e+00, 1.915492693e-01, 5.287518047e-02,
                      3.808073871e-03, 2.846785607e-04, 2.025827228e-06}),
      polynomial(square, {1.0, 5.030887974e-01, 1.145590741e-01,
                          1.505493047e-02, 1.170690416e-03, 3.783047186e-05})};
}

Real sequence::erf(Real x) { return withinOne(quotientOf(erfOf(x))); }

Real sequence::erf16(Real x) { return withinOne(quotient16(erfOf(x))); }

/// log(F(x) / F(-x)) / x, F the normal distribution: P(x^2) / Q(x^2) on [-6,
/// 6], 3e-7; beyond, it stays as it is.
static Fraction slopeOfNormal(Real x) {
  Real square = atMost(x * x, 36.0);
  return {
      polynomial(square, {1.595768147e+00, 2.045404885e-01, 1.619700882e-02,
                          3.613211916e-04, -6.120742814e-06, -2.410407744e-08}),
      polynomial(square, {1.0, 8.263414227e-02, 6.436224612e-03,
                          9.668711712e-07, -1.318149918e-06})};
}

// x sigmoid(u) with u = log(F(x) / F(-x)): unlike 1 + erf(x), which cancels, it
// keeps the left tail.

Real sequence::gelu(Real x) {
  return x * sigmoid(x * quotientOf(slopeOfNormal(x)));
}

/// x (1/2 + x P(x^2)) on [-4.2, 4.2], the polynomial kept beyond, and on the
/// left x as well.
static Real geluByPolynomial(Real x, const std::vector<double> &coefficients) {
  constexpr double kEnd = 4.2;
  Real bounded = atLeast(x, -kEnd), t = atMost(bounded, kEnd);
  return bounded * (t * polynomial(t * t, coefficients) + 0.5);
}

Real sequence::gelu16(Real x) {
  return geluByPolynomial(x,
                          {3.989074366e-01, -6.636036720e-02, 9.830126535e-03,
                           -1.114146453e-03, 9.457407395e-05, -5.760731066e-06,
                           2.343648638e-07, -5.633227925e-09, 5.997939079e-11});
}

/// x / (1 + 2^(x (linear + cubic x^2))); the least x has a power of 15.
static Real geluOfCubic(Real x, double linear, double cubic) {
  Real bounded = atLeast(x, -3.85);
  return productOfHalves(bounded,
                         bounded * (bounded * bounded * cubic + linear));
}

// The cubic that comes nearest to gelu: 2.8e-4.
Real sequence::geluOfHalves(Real x) {
  return geluOfCubic(x, -2.308312065, -1.002673053e-01);
}

Real sequence::geluTanhOfHalves(Real x) {
  return geluOfCubic(x, -2.302208198, -1.029432395e-01);
}

// x (1 + tanh(u)) / 2 = x / (1 + exp(-2u)), u = sqrt(2/pi) (x + 0.044715 x^3).
Real sequence::geluTanh(Real x) {
  constexpr double kScale = 2 * 0.79788456080286535588;
  return x * sigmoid(x * (x * x * (kScale * 0.044715) + kScale));
}

Real sequence::geluTanh16(Real x) {
  return geluByPolynomial(x,
                          {3.988993605e-01, -6.666673379e-02, 1.004426026e-02,
                           -1.172474829e-03, 1.030680367e-04, -6.487185321e-06,
                           2.710531321e-07, -6.647887624e-09, 7.183849147e-11});
}
