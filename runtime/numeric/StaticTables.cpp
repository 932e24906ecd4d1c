#include "runtime/numeric/StaticTables.h"

#include "runtime/numeric/Float16.h"

#include <cstddef>
#include <vector>

namespace weft::numeric {
namespace {

/// An unevaluated sum high + low, |low| <= ulp(high) / 2 (Dekker 1971).
struct Wide {
  double high = 0, low = 0;
};

Wide twoSum(double a, double b) {
  double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

Wide quickSum(double a, double b) {
  double sum = a + b;
  return {sum, b - (sum - a)};
}

Wide twoProduct(double a, double b) {
  constexpr double split = 134217729.0; // 2^27 + 1
  double as = split * a, bs = split * b;
  double ah = as - (as - a), al = a - ah, bh = bs - (bs - b), bl = b - bh;
  double product = a * b;
  return {product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
}

Wide operator+(Wide a, Wide b) {
  Wide sum = twoSum(a.high, b.high);
  return quickSum(sum.high, sum.low + (a.low + b.low));
}

Wide operator-(Wide a) { return {-a.high, -a.low}; }

Wide operator*(Wide a, Wide b) {
  Wide product = twoProduct(a.high, b.high);
  return quickSum(product.high,
                  product.low + (a.high * b.low + a.low * b.high));
}

Wide operator/(Wide a, Wide b) {
  double first = a.high / b.high;
  Wide rest = a + -(b * Wide{first, 0});
  double second = rest.high / b.high;
  rest = rest + -(b * Wide{second, 0});
  Wide sum = quickSum(first, second);
  return quickSum(sum.high, sum.low + rest.high / b.high);
}

Wide whole(double value) { return {value, 0}; }

/// fp32 nearest to a Wide. `high` is first rounded to odd by the sign of `low`,
/// which keeps a tie of the second rounding apart from values beside it.
uint32_t toFloatBits(Wide value) {
  uint64_t bits = bitCast<uint64_t>(value.high);
  if (value.low != 0 && (value.low < 0) != (value.high < 0))
    bits -= 1;
  if (value.low != 0)
    bits |= 1;
  return floatBits(static_cast<float>(bitCast<double>(bits)));
}

using Series = std::vector<Wide>;

struct Tables {
  StaticTables words{};

  void put(size_t at, const Series &series) {
    for (const Wide &value : series)
      words[at++] = toFloatBits(value);
  }
  /// The first 16 terms as 16-bit floats, two a word.
  void putHalves(size_t at, const Series &series, bool isBf16) {
    for (size_t i = 0; i < 16; ++i) {
      uint32_t half = isBf16
                          ? floatToBf16(floatFromBits(toFloatBits(series[i])))
                          : doubleToHalf(series[i].high);
      words[at + i / 2] |= half << (16 * (i % 2));
    }
  }
};

constexpr Wide kE = {2.718281828459045, 1.4456468917292502e-16};
constexpr Wide kPi = {3.141592653589793, 1.2246467991473532e-16};

/// e^k for k = -103 .. 88.
Series exponentials() {
  Series series;
  for (int k = -103; k < 89; ++k) {
    Wide power = whole(1), square = kE;
    for (int rest = k < 0 ? -k : k; rest; rest >>= 1) {
      if (rest & 1)
        power = power * square;
      square = square * square;
    }
    series.push_back(k < 0 ? whole(1) / power : power);
  }
  return series;
}

/// sign^k * x^(2k + odd) / (2k + odd)! for k = 0 .. 31.
Series trigonometric(bool odd) {
  Wide twoPi = kPi * whole(2), term = odd ? twoPi : whole(1);
  Series series;
  for (int k = 0; k < 32; ++k) {
    series.push_back(k & 1 ? -term : term);
    double next = 2 * k + odd;
    term = term * twoPi * twoPi / whole((next + 1) * (next + 2));
  }
  return series;
}

/// Odd Taylor coefficients of tan(pi x), by the recurrence of tan' = 1 + tan^2.
Series tangent() {
  std::vector<Wide> t(64);
  t[1] = whole(1);
  for (int n = 2; n < 64; ++n) {
    Wide sum;
    for (int i = 0; i < n; ++i)
      sum = sum + t[i] * t[n - 1 - i];
    t[n] = sum / whole(n);
  }
  Series series;
  Wide power = kPi;
  for (int k = 0; k < 32; ++k, power = power * kPi * kPi)
    series.push_back(t[2 * k + 1] * power);
  return series;
}

StaticTables makeTables() {
  Tables tables;
  Series exponential, logarithm = {whole(0)}, arcsine, arctangent;
  Wide term = whole(1), central = whole(1);
  for (int k = 0; k < 32; ++k) {
    exponential.push_back(term);
    term = term / whole(k + 1);
    arctangent.push_back(whole(k & 1 ? -1 : 1) / whole(2 * k + 1));
  }
  for (int k = 1; k < 64; ++k)
    logarithm.push_back(whole(k & 1 ? 1 : -1) / whole(k));
  for (int k = 0; k < 64; ++k) { // (2k)! / (4^k k!^2 (2k+1))
    arcsine.push_back(central / whole(2 * k + 1));
    central = central * whole(2 * k + 1) / whole(2 * k + 2);
  }
  // Coefficients of the erfc fit of Numerical Recipes (erfcc), as published.
  const double erfc[] = {-1.26551223, 1.00002368, 0.37409196,  0.09678418,
                         -0.18628806, 0.27886807, -1.13520398, 1.48851587,
                         -0.82215223, 0.17087277};
  Series errorFunction;
  for (double coefficient : erfc)
    errorFunction.push_back(whole(coefficient));
  Series sine = trigonometric(true), cosine = trigonometric(false);
  tables.put(0, exponentials());
  tables.put(256, exponential);
  tables.put(288, logarithm);
  tables.put(352, errorFunction);
  for (uint32_t i = 0; i < 64; ++i)
    tables.words[368 + i] = i;
  tables.put(432, sine);
  tables.put(464, cosine);
  tables.put(496, arcsine);
  tables.put(560, tangent());
  const Series *shortSeries[] = {&exponential, &logarithm, &sine, &cosine};
  for (size_t i = 0; i < 4; ++i) {
    tables.putHalves(592 + 32 * i, *shortSeries[i], false);
    tables.putHalves(608 + 32 * i, *shortSeries[i], true);
  }
  tables.put(720, arctangent);
  return tables.words;
}

} // namespace

const StaticTables &staticTables() {
  static const StaticTables tables = makeTables();
  return tables;
}

} // namespace weft::numeric
