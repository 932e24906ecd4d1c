#include "tests/ppl/bdc/VendorFormulas.h"
#include "runtime/numeric/BitCast.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

// Compiled with -ffp-contract=off: every multiply and add is rounded.
namespace weft::test::vendor {

namespace {

using numeric::floatBits;
using numeric::floatFromBits;

using Terms = std::vector<float>;

float series(const Terms &terms, float x) {
  float r = terms.back();
  for (size_t k = terms.size() - 1; k-- > 0;)
    r = r * x + terms[k];
  return r;
}

float newton(float x, int steps) {
  float y = floatFromBits(0x5f3759dfu - (floatBits(x) >> 1));
  for (int i = 0; i < steps; ++i)
    y = y * (1.5f - ((x * 0.5f) * y) * y);
  return y;
}

template <class Term>
Terms terms(int count, Term term) {
  Terms list;
  for (int k = 0; k < count; ++k)
    list.push_back(float(term(k)));
  return list;
}
long double factorial(int n) { return std::tgamma((long double)n + 1); }

const Terms kExp = terms(10, [](int k) { return 1 / factorial(k); });
const Terms kLog =
    terms(16, [](int k) { return k ? (k % 2 ? 1.0L : -1.0L) / k : 0.0L; });
constexpr long double kTurn = 6.283185307179586476925286766559L;
const Terms kSin = terms(16, [](int k) {
  return (k % 2 ? -1 : 1) * std::pow(kTurn, 2 * k + 1) / factorial(2 * k + 1);
});
const Terms kCos = terms(16, [](int k) {
  return (k % 2 ? -1 : 1) * std::pow(kTurn, 2 * k) / factorial(2 * k);
});
/// tan(y) = sum t_k y^(2k+1) by the recurrence of tan' = 1 + tan^2.
const Terms kTan = [] {
  std::vector<long double> t = {1};
  for (int k = 1; k < 16; ++k) {
    long double sum = 0;
    for (int i = 0; i < k; ++i)
      sum += t[size_t(i)] * t[size_t(k - 1 - i)];
    t.push_back(sum / (2 * k + 1));
  }
  return terms(
      16, [&](int k) { return t[size_t(k)] * std::pow(kTurn / 2, 2 * k + 1); });
}();
const Terms kArcsin = terms(16, [](int k) {
  return factorial(2 * k) /
         (std::pow(4.0L, k) * factorial(k) * factorial(k) * (2 * k + 1));
});

int exponentOf(float x) {
  return int(floatBits(x) >> 23 & 255) + ((floatBits(x) & 0x7fffff) > 0x2aaaab);
}
float root(float x) { return x == 0 ? 0 : newton(x, 3) * x; }
float signOf(float x) {
  return floatBits(x) == 0 ? 0.0f : x > 0 ? 1.0f : -1.0f;
}
float logOf(float x, float y) {
  int e = exponentOf(y);
  float z = y * floatFromBits(uint32_t(254 - e) << 23) - 1;
  float p = series(kLog, z);
  if (floatBits(x) == 0)
    p = -INFINITY;
  if (x == INFINITY)
    p = INFINITY;
  return p + float(e - 127) * 0.693147182f;
}
float tangent(float t) {
  float r = t - std::nearbyint(t), d = std::fabs(r) - 0.25f;
  float s = d * series(kTan, d * d);
  float q = newton(std::fabs(1 - s), 3);
  float v = (1 - s < 0 ? -2.0f : 2.0f) * (q * q) - 1;
  return floatFromBits(floatBits(v) | (floatBits(r) & 0x80000000u));
}

} // namespace

float reciprocal(float x, int steps) {
  float q = newton(std::fabs(x), steps);
  return std::copysign(q * q, x);
}
float rsqrt(float x, int steps) { return newton(x, steps); }
float sqrt(float x, int steps) { return x == 0 ? x : newton(x, steps) * x; }
float exp(float x) {
  float n = std::min(std::max(x, -3.40281987e35f), 3.40281987e35f);
  float k = std::floor(n * 1.44269502f), r = n - k * 0.693147182f;
  float whole = std::clamp(k, -32768.0f, 32767.0f);
  int i = std::clamp(int(whole), -127, 127);
  return series(kExp, r) * floatFromBits(uint32_t(i + 127) << 23);
}
float expm1(float x) { return exp(x) - 1; }
float log(float x) { return logOf(x, std::max(x, 0x1p-126f)); }
float log1p(float x) {
  float y = std::max(x + 1, 0x1p-126f);
  return logOf(y, y);
}
float logx(float x, float base) {
  return log(x) * float(1 / std::log(double(base)));
}
float sin(float x) {
  float t = x * 0.159154937f, r = t - std::round(t);
  return r * series(kSin, r * r);
}
float cos(float x) {
  float t = x * 0.159154937f, r = t - std::round(t);
  return series(kCos, r * r);
}
float tan(float x) { return tangent(x * 0.318309873f); }
float cot(float x) { return tangent(0.5f - x * 0.318309873f); }
float arcsin(float x) {
  float h = 0.25f - (x * x) * 0.25f, w = 0.5f - root(h);
  return ((series(kArcsin, w) * root(w)) * 2) * signOf(x);
}
float arccos(float x) { return 1.57079637f - arcsin(x); }

} // namespace weft::test::vendor
