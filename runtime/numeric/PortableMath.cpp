#include "runtime/numeric/PortableMath.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace weft::numeric::portable {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kHalfPi = 0x1.921fb54442d18p+0;
constexpr double kLn2 = 0x1.62e42fefa39efp-1;
// ln 2 = kLn2High + kLn2Low; the high part has 33 bits, so a product with an
// exponent is exact.
constexpr double kLn2High = 0x1.62e42fef00000p-1;
constexpr double kLn2Low = 0x1.473de6af278edp-34;

uint64_t bitsOf(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

double fromBits(uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// 2^exponent for -1022 <= exponent <= 1023.
double powerOfTwo(int exponent) {
  return fromBits(uint64_t(exponent + 1023) << 52);
}

/// x * 2^exponent for |exponent| <= 1100, in two exact steps but for one
/// rounding of subnormals.
double scale(double x, int exponent) {
  int half = exponent / 2;
  return x * powerOfTwo(half) * powerOfTwo(exponent - half);
}

/// Splits a positive finite x into m * 2^exponent with m in [sqrt(1/2),
/// sqrt(2)).
double splitExponent(double x, int &exponent) {
  exponent = 0;
  if (x < powerOfTwo(-1022)) { // a subnormal has no implicit bit
    x *= powerOfTwo(54);
    exponent = -54;
  }
  uint64_t bits = bitsOf(x);
  exponent += int(bits >> 52) - 1023;
  double m = fromBits((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
  if (m >= 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  return m;
}

/// log((1+s)/(1-s)) = 2 (s + s^3/3 + ..) for |s| <= 0.172: 0.0296^14/29 <
/// 2^-75.
double logSeries(double s) {
  double s2 = s * s, sum = 0;
  for (int k = 27; k >= 3; k -= 2)
    sum = sum * s2 + 1.0 / k;
  return 2 * s + 2 * s * (s2 * sum);
}

/// exp(r) - 1 - r for |r| <= 0.36 by its series: 0.36^17/17! < 2^-73.
double expTail(double r) {
  double sum = 0;
  for (int k = 17; k >= 3; --k)
    sum = (sum + 1.0) * (r / k);
  return (sum + 1.0) * (r * r / 2);
}

/// x * x = high + low exactly (Dekker), for |x| < 2^500.
double square(double x, double &low) {
  double t = 134217729.0 * x; // 2^27 + 1
  double a = t - (t - x), b = x - a;
  double high = x * x;
  low = ((a * a - high) + 2 * a * b) + b * b;
  return high;
}

/// exp(-x*x) with the rounding error of x*x corrected (it would be magnified by
/// x*x).
double expMinusSquare(double x) {
  double low, high = square(x, low);
  return exp(-high) * (1.0 - low);
}

/// erf for 0 <= x < 1.25: 2/sqrt(pi) exp(-x^2) sum of 2^n x^(2n+1)/(2n+1)!!,
/// all terms positive.
double erfSeries(double x) {
  double term = x, sum = x, x2 = x * x;
  for (int n = 1; n < 80 && term > sum * 1e-18; ++n) {
    term *= 2 * x2 / (2 * n + 1);
    sum += term;
  }
  return 1.1283791670955126 * expMinusSquare(x) * sum;
}

/// erfc for x >= 1.25 by its continued fraction; 128 levels leave less than
/// exp(-2 sqrt(2*128) x) < 2^-57.
double erfcFraction(double x) {
  if (x > 27.3)
    return 0.0; // below the smallest subnormal
  double fraction = x;
  for (int n = 128; n >= 1; --n)
    fraction = x + (n * 0.5) / fraction;
  return expMinusSquare(x) * 0.56418958354775628695 / fraction;
}

// Bits of 2/pi after the binary point, for the reduction of large arguments
// (Payne and Hanek, "Radian reduction for trigonometric functions", 1983). 1280
// bits serve every double.
constexpr uint64_t kTwoOverPi[20] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
    0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab, 0xf0cfbc209af4361d};

/// 64 bits of 2/pi from bit `first` on (bit 0 is the first after the point;
/// before it are zeros).
uint64_t twoOverPiBits(int first) {
  if (first <= -64)
    return 0;
  if (first < 0)
    return kTwoOverPi[0] >> -first;
  int word = first / 64, shift = first % 64;
  uint64_t high = word < 20 ? kTwoOverPi[word] : 0,
           low = word + 1 < 20 ? kTwoOverPi[word + 1] : 0;
  return shift == 0 ? high : high << shift | low >> (64 - shift);
}

/// |x| >= 2^20: x = quadrant * pi/2 + result with |result| <= pi/4.
double reduceLarge(double x, int &quadrant) {
  uint64_t bits = bitsOf(x) & 0x7fffffffffffffffull;
  int exponent = int(bits >> 52) - 1075; // |x| = mantissa * 2^exponent
  uint64_t mantissa = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
  // Bits of 2/pi whose product with the mantissa is a multiple of 4 are left
  // out; 192 bits follow. The product modulo 2^192 is the angle in quarter
  // turns modulo 4, times 2^190.
  int first = exponent - 2;
  unsigned __int128 low =
      (unsigned __int128)mantissa * twoOverPiBits(first + 128);
  unsigned __int128 middle =
      (unsigned __int128)mantissa * twoOverPiBits(first + 64) +
      uint64_t(low >> 64);
  uint64_t top = mantissa * twoOverPiBits(first) + uint64_t(middle >> 64);
  quadrant = int(top >> 62);
  unsigned __int128 fraction = (unsigned __int128)top << 66 |
                               (unsigned __int128)uint64_t(middle) << 2 |
                               uint64_t(low) >> 62; // of 2^128
  bool negative = fraction >> 127;
  if (negative) {
    fraction = -fraction;
    ++quadrant;
  }
  // No double is closer than 2^-62 to a multiple of pi/2, so 117 bits leave
  // more than 53 significant ones.
  unsigned __int128 tail = fraction & (((unsigned __int128)1 << 75) - 1);
  double turns = double(uint64_t(fraction >> 75)) * powerOfTwo(-53) +
                 double(uint64_t(tail >> 11)) * powerOfTwo(-117);
  double r = turns * kHalfPi;
  if (negative)
    r = -r;
  if (x < 0) {
    r = -r;
    quadrant = -quadrant;
  }
  quadrant &= 3;
  return r;
}

/// x = quadrant * pi/2 + result (modulo 2 pi) with |result| <= pi/4 + 2^-20; x
/// finite.
double reduceAngle(double x, int &quadrant) {
  if (std::fabs(x) >= 1048576.0)
    return reduceLarge(x, quadrant);
  // pi/2 in three parts; k has at most 20 bits, so its products with the first
  // two are exact.
  double k = roundHalfToEven(x * 0.63661977236758134308);
  double r = (x - k * 0x1.921fb54400000p+0) - k * 0x1.0b4611a600000p-34;
  quadrant = int(int64_t(k) & 3);
  return r - k * 0x1.3198a2e037073p-69;
}

/// sin(r), |r| <= 0.79: the next term is below 0.79^21/21! < 2^-72.
double sinSeries(double r) {
  double r2 = r * r, sum = 0;
  for (int k = 19; k >= 5; k -= 2)
    sum = (1.0 + sum) * (-r2 / (k * (k - 1)));
  return r + r * ((1.0 + sum) * (-r2 / 6));
}

/// cos(r), |r| <= 0.79.
double cosSeries(double r) {
  double r2 = r * r, sum = 0;
  for (int k = 20; k >= 4; k -= 2)
    sum = (1.0 + sum) * (-r2 / (k * (k - 1)));
  return 1.0 + (1.0 + sum) * (-r2 / 2);
}

} // namespace

double abs(double x) { return std::fabs(x); }
double sqrt(double x) { return std::sqrt(x); }
double floor(double x) { return std::floor(x); }
double ceil(double x) { return std::ceil(x); }
double fmod(double x, double y) { return std::fmod(x, y); }

double floorMod(double x, double y) {
  double remainder = std::fmod(x, y);
  return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y
                                                      : remainder;
}

double roundHalfToEven(double x) {
  if (!(std::fabs(x) < 4503599627370496.0)) // 2^52: already whole, or NaN
    return x;
  double down = std::floor(x), fraction = x - down;
  bool up = fraction > 0.5 || (fraction == 0.5 && std::fmod(down, 2.0) != 0);
  return std::copysign(up ? down + 1 : down, x);
}

double exp(double x) {
  if (x != x)
    return x;
  if (x > 709.8)
    return kInfinity;
  if (x < -745.2)
    return 0.0;
  double k = roundHalfToEven(x * 1.44269504088896340736);
  double high = x - k * kLn2High, low = k * kLn2Low;
  double r = high - low;
  double error = (high - r) - low;
  return scale(1.0 + (r + (expTail(r) + error)), int(k));
}

double expm1(double x) {
  if (std::fabs(x) <= 0.36)
    return x + expTail(x);
  return exp(x) - 1.0;
}

double log(double x) {
  if (x != x || x == kInfinity)
    return x;
  if (x < 0)
    return kNaN;
  if (x == 0)
    return -kInfinity;
  int exponent;
  double m = splitExponent(x, exponent);
  double series = logSeries((m - 1.0) / (m + 1.0));
  return exponent * kLn2High + (series + exponent * kLn2Low);
}

double log1p(double x) {
  if (std::fabs(x) <= 0.25)
    return x == 0 ? x : logSeries(x / (2.0 + x));
  return log(1.0 + x);
}

/// x^n by squaring, n >= 0.
static double wholePower(double x, unsigned n) {
  double result = 1.0;
  for (; n; n >>= 1, x *= x)
    if (n & 1)
      result *= x;
  return result;
}

double pow(double x, double y) {
  if (y == 0 || x == 1)
    return 1.0;
  if (x != x || y != y)
    return x + y;
  bool whole = std::floor(y) == y;
  bool odd = whole && std::fmod(y, 2.0) != 0;
  if (whole && std::fabs(y) <= 64) {
    double power = wholePower(x, unsigned(std::fabs(y)));
    return y < 0 ? 1.0 / power : power;
  }
  if (y == 0.5 && std::isfinite(x))
    return std::sqrt(x) + 0.0; // pow(-0.0, 0.5) is +0.0
  double magnitude = std::fabs(x);
  double result;
  if (std::isinf(y))
    result = magnitude == 1               ? 1.0
             : (magnitude > 1) == (y > 0) ? kInfinity
                                          : 0.0;
  else if (magnitude == 0)
    result = y > 0 ? 0.0 : kInfinity;
  else if (std::isinf(magnitude))
    result = y > 0 ? kInfinity : 0.0;
  else if (x < 0 && !whole)
    return kNaN;
  else
    result = exp(y * log(magnitude));
  return std::signbit(x) && odd ? -result : result;
}

/// An odd function of an angle by value(quadrant, rest).
template <class Value>
static double oddOfAngle(double x, Value value) {
  if (!std::isfinite(x))
    return kNaN;
  if (x == 0)
    return x; // with its sign
  int quadrant;
  double rest = reduceAngle(x, quadrant);
  return value(quadrant, rest);
}

double sin(double x) {
  return oddOfAngle(x, [](int quadrant, double r) {
    double value = quadrant & 1 ? cosSeries(r) : sinSeries(r);
    return quadrant & 2 ? -value : value;
  });
}

double cos(double x) {
  if (!std::isfinite(x))
    return kNaN;
  int quadrant;
  double r = reduceAngle(x, quadrant);
  double value = quadrant & 1 ? sinSeries(r) : cosSeries(r);
  return (quadrant + 1) & 2 ? -value : value;
}

double tan(double x) {
  return oddOfAngle(x, [](int quadrant, double r) {
    double s = sinSeries(r), c = cosSeries(r);
    return quadrant & 1 ? -c / s : s / c;
  });
}

double atan(double x) {
  if (x != x || x == 0)
    return x;
  // atan(k/8) for k = 0..8.
  static constexpr double kTable[9] = {0.0,
                                       0x1.fd5ba9aac2f6ep-4,
                                       0x1.f5b75f92c80ddp-3,
                                       0x1.6f61941e4def1p-2,
                                       0x1.dac670561bb4fp-2,
                                       0x1.1e00babdefeb4p-1,
                                       0x1.4978fa3269ee1p-1,
                                       0x1.700a7c5784634p-1,
                                       0x1.921fb54442d18p-1};
  double a = std::fabs(x);
  bool inverted = a > 1;
  if (inverted)
    a = 1.0 / a;
  int k = int(a * 8 + 0.5);
  double center = k * 0.125;
  // atan(a) = atan(c) + atan((a - c) / (1 + a c)); the quotient is at most
  // 1/16.
  double t = k == 0 ? a : (a - center) / (1.0 + a * center);
  double t2 = t * t, sum = 0;
  for (int i = 19; i >= 3; i -= 2)
    sum = 1.0 / i - t2 * sum;
  double value = kTable[k] + (t - t * (t2 * sum));
  if (inverted)
    value = kHalfPi - value;
  return std::copysign(value, x);
}

double asin(double x) {
  if (!(std::fabs(x) <= 1))
    return kNaN;
  return atan(x / std::sqrt((1.0 - x) * (1.0 + x)));
}

double acos(double x) {
  if (!(std::fabs(x) <= 1))
    return kNaN;
  return 2.0 * atan(std::sqrt((1.0 - x) / (1.0 + x)));
}

double sinh(double x) {
  double a = std::fabs(x), value;
  if (a < 0.36) { // (expm1(a) - expm1(-a)) / 2 by the odd part of the series
    double a2 = a * a, sum = 0;
    for (int k = 15; k >= 3; k -= 2)
      sum = (1.0 + sum) * (a2 / (k * (k - 1)));
    value = a + a * sum;
  } else if (a > 700) { // exp(a) may overflow where its half does not
    double half = exp(a / 2);
    value = half * 0.5 * half;
  } else {
    double e = exp(a);
    value = (e - 1.0 / e) / 2;
  }
  return std::copysign(value, x);
}

double cosh(double x) {
  double a = std::fabs(x);
  if (a > 700) {
    double half = exp(a / 2);
    return half * 0.5 * half;
  }
  double e = exp(a);
  return (e + 1.0 / e) / 2;
}

double tanh(double x) {
  double a = std::fabs(x);
  if (a > 20) // 1 - 2 exp(-40) rounds to 1
    return std::copysign(1.0, x);
  double e = expm1(2 * a);
  return std::copysign(e / (e + 2.0), x);
}

double asinh(double x) {
  double a = std::fabs(x);
  double value = a > 1e8 ? log(a) + kLn2
                         : log1p(a + a * a / (1.0 + std::sqrt(a * a + 1.0)));
  return std::copysign(value, x);
}

double acosh(double x) {
  if (!(x >= 1))
    return kNaN;
  if (x > 1e8)
    return log(x) + kLn2;
  double t = x - 1.0;
  return log1p(t + std::sqrt(2.0 * t + t * t));
}

double atanh(double x) {
  double a = std::fabs(x);
  if (!(a <= 1))
    return kNaN;
  return std::copysign(0.5 * log1p(2.0 * a / (1.0 - a)), x);
}

double erf(double x) {
  if (x != x)
    return x;
  double a = std::fabs(x);
  return std::copysign(a < 1.25 ? erfSeries(a) : 1.0 - erfcFraction(a), x);
}

double erfc(double x) {
  if (x != x)
    return x;
  if (x < 0)
    return 1.0 + erf(-x);
  return x < 1.25 ? 1.0 - erfSeries(x) : erfcFraction(x);
}

double sigmoid(double x) {
  if (x >= 0)
    return 1.0 / (1.0 + exp(-x));
  double e = exp(x);
  return e / (1.0 + e);
}

double softplus(double x) {
  if (x != x)
    return x;
  return (x > 0 ? x : 0.0) + log1p(exp(-std::fabs(x)));
}

} // namespace weft::numeric::portable
