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

Real sequence::rsqrt16(Real x) {
  // Half of the exponent, negated: a guess g with u = x g^2 between 3/4 and
  // 27/32, of which the polynomial is 1 / sqrt(u); 1.6e-5. Written out, as
  // three coefficients in a table would have to be loaded and take as long.
  Real bounded = atMost(x, kLargest);
  Real guess = realOf(Word(0x5f200000) - shiftedLogically(bitsOf(bounded), -1));
  Real u = bounded * guess * guess;
  Real inverse =
      guess * (u * (u * 6.631523970e-01 + -1.760927443) + 2.102354477);
  Real inside = choose(isSame(x, kInfinity), 0.0, inverse);
  Real outside = choose(isLess(x, 0.0), kNaN, kInfinity);
  return choose(isGreater(x, 0.0), inside, outside);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

namespace {
/// high + low, where high has 12 significant bits: a product of two such
/// numbers is exact.
struct Split {
  Real high, low;
};
} // namespace

static Split split(Real x) {
  Real high = realOf(bitsOf(x) & Word(int32_t(0xfffff000)));
  return {high, x - high};
}

namespace {
/// A sum of two floats, of which the first one is split again.
struct Logarithm {
  Split parts;
  Real sum; ///< of the parts
};
} // namespace

/// log2 of a normal number x > 0, to about 2^-30 beside numbers of size 1.
static Logarithm log2Of(Real x) {
  // log2(1 + f) = f / ln 2 + f^2 tail(f); the first term is a product of halves
  // whose larger part is exact. kHigh has 12 bits.
  constexpr double kInverse = 1.4426950408889634, kHigh = 0x1.714p+0;
  Decomposed d = decompose(x);
  Real f = d.fraction;
  Real tail = f * f * polynomial(f, logTail(kInverse));
  Split half = split(f);
  Real product = half.high * kHigh;
  Real rest = half.low * kHigh + f * (kInverse - kHigh) + tail;
  // Two sums without loss: each is followed by what it has rounded away. The
  // exponent is 0 or larger than the product, and their sum than the rest.
  Real sum = d.exponent + product;
  Real more = product - (sum - d.exponent) + rest;
  Real total = sum + more;
  Real lost = more - (total - sum);
  Split parts = split(total);
  return {{parts.high, parts.low + lost}, total};
}

Real sequence::pow(Real x, Real y) {
  Real size = abs(x), exponent = atMost(atLeast(y, -1e30), 1e30);
  Logarithm log = log2Of(size);
  Split factor = split(exponent);
  Real high = factor.high * log.parts.high;
  Real low = factor.high * log.parts.low + factor.low * log.sum;
  // Between these bounds 2^count is 0 to infinity; see exp.
  Real sum = atMost(atLeast(high + low, -126.4), 129.4);
  Real count = rounded(sum, Rounding::HalfToEven);
  Real rest = atMost(atLeast((high - count) + low, -0.6), 0.6);
  Real power = scaledExp(rest * 0.69314718055994531, count);
  // 0 and infinity have no logarithm, NaN has none either.
  Real inverse = choose(isGreater(size, 1.0), 0.0, kInfinity);
  Real end = choose(isGreater(y, 0.0), size, inverse);
  power = choose(isLess(size, 0x1p-126), end, power);
  power = choose(isSame(size, kInfinity), end, power);
  power = choose(isGreater(bitsOf(size), Word(0x7f800000)), x, power);
  // An odd power has the sign of x; other powers of negative numbers are none.
  Real half = y * 0.5;
  Condition isWhole = isSame(rounded(y, Rounding::TowardZero), y);
  Condition isEven = isSame(rounded(half, Rounding::TowardZero), half);
  Word sign = choose(isEven, Word(0), signOf(x));
  power = withSign(power, choose(isWhole, sign, Word(0)));
  Real ofNegative = choose(isWhole, power, kNaN);
  ofNegative = choose(isSame(size, kInfinity), power, ofNegative);
  power = choose(isLess(x, 0.0), ofNegative, power);
  Real sizeOfExponent = abs(y);
  power = choose(isGreater(bitsOf(sizeOfExponent), Word(0x7f800000)), y, power);
  power = choose(isSame(sizeOfExponent, 0.0), 1.0, power);
  return choose(isSame(x, 1.0), 1.0, power);
}

Real sequence::powOf(Real x, double y) {
  if (y == 2)
    return x * x;
  if (y == 3)
    return x * x * x;
  if (y == 4) {
    Real square = x * x;
    return square * square;
  }
  // Roots of -inf are NaN, its powers are not.
  if (y == 0.5)
    return choose(isSame(x, -kInfinity), kInfinity, sqrt(x));
  if (y == -0.5)
    return choose(isSame(x, -kInfinity), 0.0, rsqrt(x));
  return pow(x, x.builder->copied(y));
}

//===----------------------------------------------------------------------===//
// Remainders
//===----------------------------------------------------------------------===//

/// x - n y, exactly, where n is x / y cut to 11 bits; `parts` of y.
static Real reduced(Real x, Real y, const Split &parts) {
  Real quotient = rounded(x / y, Rounding::TowardZero);
  Real count = realOf(bitsOf(quotient) & Word(int32_t(0xffffe000)));
  return (x - count * parts.high) - count * parts.low;
}

Real sequence::fmod(Real x, Real y) {
  Real size = abs(x), divisor = abs(y);
  Split parts = split(divisor);
  Real rest = size;
  for (int i = 0; i < 3; ++i)
    rest = reduced(rest, divisor, parts);
  // A quotient within 4 ulp may be off by one when it is cut.
  rest = choose(isGreater(0.0, rest), rest + divisor, rest);
  rest = choose(isLess(rest, divisor), rest, rest - divisor);
  // A larger divisor leaves x; 0 divides nothing, and nothing infinity.
  rest = choose(isGreater(divisor, size), size, rest);
  rest = choose(isSame(divisor, 0.0), kNaN, rest);
  rest = choose(isSame(size, kInfinity), kNaN, rest);
  return realOf(bitsOf(rest) | signOf(x));
}

Real sequence::floorMod(Real x, Real y) {
  Real rest = fmod(x, y);
  Word differs =
      (bitsOf(rest) ^ bitsOf(y)) & Word(std::numeric_limits<int32_t>::min());
  Real other = choose(isLess(differs, Word(0)), rest + y, rest);
  return choose(isSame(abs(rest), 0.0), rest, other);
}

Real sequence::prelu(Real x, Real slope) {
  return choose(isLess(x, 0.0), x * slope, x);
}
