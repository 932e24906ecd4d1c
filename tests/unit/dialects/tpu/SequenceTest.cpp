// Every function is swept over its whole range of floats and compared with the
// double functions of runtime/numeric. The bounds are what was measured,
// rounded up; special values must be exact.
#include "dialects/tpu/sequence/Functions.h"
#include "dialects/tpu/sequence/Interpret.h"
#include "runtime/numeric/BitCast.h"
#include "runtime/numeric/Float16.h"
#include "runtime/numeric/PortableMath.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

using namespace weft;
using namespace weft::tpu;
using numeric::floatBits;
using numeric::floatFromBits;
namespace portable = weft::numeric::portable;
using sequence::Builder;
using sequence::Real;

namespace {
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNot = std::numeric_limits<float>::quiet_NaN();

using Function = std::function<Real(Real)>;
using Reference = std::function<double(double)>;

struct Case {
  const char *name;
  Function function;
  Reference reference;
  float low, high;     ///< of the sweep
  double ulps;         ///< allowed, of the expected value
  double absolute = 0; ///< allowed on top
};
void PrintTo(const Case &c, std::ostream *os) { *os << c.name; }

std::vector<float> valuesOf(const Function &function,
                            const std::vector<float> &xs) {
  Builder builder({{SequenceType::F32}});
  Sequence sequence =
      builder.finish(function(builder.real(0)), SequenceType::F32);
  std::vector<uint32_t> bits;
  for (float x : xs)
    bits.push_back(floatBits(x));
  std::vector<float> results;
  for (uint32_t result : interpret(sequence, {bits}))
    results.push_back(floatFromBits(result));
  return results;
}

/// Floats as integers in the order of their values.
int64_t rank(float x) {
  auto bits = static_cast<int32_t>(floatBits(x));
  return bits >= 0 ? bits : -(int64_t(bits) & 0x7fffffff);
}
float ofRank(int64_t rank) {
  return floatFromBits(rank >= 0 ? uint32_t(rank)
                                 : uint32_t(-rank) | 0x80000000u);
}

/// About `count` floats from low to high, evenly by rank: as many in every
/// power of two.
std::vector<float> sweep(float low, float high, int64_t count) {
  std::vector<float> xs;
  int64_t first = rank(low), last = rank(high);
  int64_t step = std::max<int64_t>(1, (last - first) / count);
  for (int64_t i = first; i < last; i += step)
    if (std::fpclassify(ofRank(i)) != FP_SUBNORMAL)
      xs.push_back(ofRank(i));
  xs.push_back(high);
  return xs;
}

double ulpOf(double expected) {
  int exponent;
  std::frexp(expected, &exponent);
  return std::ldexp(1.0, std::max(exponent, -125) - 24);
}
} // namespace

class SequenceSweep : public ::testing::TestWithParam<Case> {};

TEST_P(SequenceSweep, StaysWithinItsBound) {
  const Case &c = GetParam();
  std::vector<float> xs = sweep(c.low, c.high, 60000);
  std::vector<float> ys = valuesOf(c.function, xs);
  double worst = 0;
  float where = 0;
  for (size_t i = 0; i < xs.size(); ++i) {
    double expected = c.reference(xs[i]);
    if (std::fabs(expected) > std::numeric_limits<float>::max())
      expected = expected > 0 ? kInf : -kInf;
    if (expected == ys[i] || (std::isnan(expected) && std::isnan(ys[i])))
      continue;
    double error = std::max(0.0, std::fabs(expected - ys[i]) - c.absolute) /
                   ulpOf(expected);
    if (!(error <= worst)) {
      worst = error;
      where = xs[i];
    }
  }
  EXPECT_LE(worst, c.ulps) << "at " << where << ": "
                           << valuesOf(c.function, {where})[0] << " instead of "
                           << c.reference(where);
  RecordProperty("ulps", std::to_string(worst));
  if (getenv("SHOW"))
    printf("%s: %g ulp at %g\n", c.name, worst, where);
}

static std::vector<Case> allCases() {
  constexpr double kTiny = 1.2e-38; // the smallest normal number
  // Half of a smaller number is a subnormal one, which spoils a Newton step.
  constexpr float kRootsFrom = 2.4e-38f;
  constexpr float kMost = std::numeric_limits<float>::max();
  auto log1p = [](double x) { return portable::log1p(x); };
  return {
      {"Exp", sequence::exp, portable::exp, -kMost, kMost, 2, 1.8e-38},
      {"Log", sequence::log, portable::log, 1.2e-38f, kMost, 2},
      {"Log1p", sequence::log1p, log1p, -0.99f, kMost, 6},
      {"Sqrt", sequence::sqrt, portable::sqrt, kRootsFrom, kMost, 3},
      {"Rsqrt", sequence::rsqrt, [](double x) { return 1 / portable::sqrt(x); },
       kRootsFrom, kMost, 3},
      {"Sigmoid", sequence::sigmoid, portable::sigmoid, -kMost, kMost, 6,
       kTiny},
      {"Tanh", sequence::tanh, portable::tanh, -kMost, kMost, 8},
      {"Sinh", sequence::sinh, portable::sinh, -kMost, kMost, 4},
      {"Cosh", sequence::cosh, portable::cosh, -kMost, kMost, 4},
      {"Asinh", sequence::asinh, portable::asinh, -kMost, kMost, 8},
      {"Acosh", sequence::acosh, portable::acosh, 1, kMost, 8},
      {"Atanh", sequence::atanh, portable::atanh, -1, 1, 8},
      {"Softplus", sequence::softplus, portable::softplus, -80, kMost, 8},
      {"Mish", sequence::mish,
       [](double x) { return x * portable::tanh(portable::softplus(x)); }, -80,
       kMost, 10, kTiny},
      {"Erf", sequence::erf, portable::erf, -kMost, kMost, 8},
      {"Gelu", sequence::gelu,
       [](double x) {
         return 0.5 * x * portable::erfc(-x * 0.70710678118654752440);
       },
       -6, kMost, 110, kTiny}, // an exponent of -17 loses bits of the tail
      {"GeluTanh", sequence::geluTanh,
       [](double x) {
         double u = 0.79788456080286535588 * (x + 0.044715 * x * x * x);
         return x * portable::sigmoid(2 * u);
       },
       -8, 1e12f, 80, kTiny},
      {"Sin", sequence::sin, portable::sin, -1e5f, 1e5f, 3, 0x1p-24},
      {"Cos", sequence::cos, portable::cos, -1e5f, 1e5f, 3, 0x1p-24},
      {"Tan", sequence::tan, portable::tan, -1e3f, 1e3f, 9},
      {"Asin", sequence::asin, portable::asin, -1, 1, 5},
      {"Acos", sequence::acos, portable::acos, -1, 1, 5},
      {"Atan", sequence::atan, portable::atan, -kMost, kMost, 6},
      {"Elu", [](Real x) { return sequence::elu(x, 1.5); },
       [](double x) { return x < 0 ? 1.5 * portable::expm1(x) : x; }, -kMost,
       kMost, 4},
      {"Selu", [](Real x) { return sequence::selu(x, 1.67, 1.05); },
       [](double x) {
         return x < 0 ? 1.67 * 1.05 * portable::expm1(x) : 1.05 * x;
       },
       -kMost, kMost, 4},
      {"Softsign", sequence::softsign,
       [](double x) { return x / (1 + std::fabs(x)); }, -kMost, kMost, 7},
      {"Sign", sequence::sign,
       [](double x) { return double((x > 0) - (x < 0)); }, -kMost, kMost, 0},
  };
}

INSTANTIATE_TEST_SUITE_P(Functions, SequenceSweep,
                         ::testing::ValuesIn(allCases()),
                         [](const auto &info) { return info.param.name; });

namespace {
/// A function for results of 16 bits.
struct ShortCase {
  const char *name;
  Function function;
  Reference reference;
  double absolute = 0; ///< what errors may have besides
};
void PrintTo(const ShortCase &c, std::ostream *os) { *os << c.name; }
} // namespace

/// 0 for -inf, where the product is NaN.
static double exactGelu(double x) {
  if (x < -100)
    return 0;
  return 0.5 * x * portable::erfc(-x * 0.70710678118654752440);
}

static double exactGeluTanh(double x) {
  if (x < -100)
    return 0;
  double u = 0.79788456080286535588 * (x + 0.044715 * x * x * x);
  return x * portable::sigmoid(2 * u);
}

class ShortSequence : public ::testing::TestWithParam<ShortCase> {};

// Every f16 and every bf16.
TEST_P(ShortSequence, StaysWithinItsBound) {
  const ShortCase &c = GetParam();
  for (bool isHalf : {true, false}) {
    std::vector<float> xs;
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      float x = isHalf ? numeric::halfToFloat(uint16_t(bits))
                       : floatFromBits(bits << 16);
      if (std::fpclassify(x) != FP_SUBNORMAL)
        xs.push_back(x);
    }
    std::vector<float> ys = valuesOf(c.function, xs);
    // Half of the smallest f16; a factor of x that is subnormal is 0.
    double smallest = c.absolute + (isHalf ? 0x1p-25 : 0x1p-126 * 128);
    double worst = 0;
    float where = 0;
    for (size_t i = 0; i < xs.size(); ++i) {
      double expected = c.reference(xs[i]);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(ys[i])) << xs[i];
        continue;
      }
      if (expected == ys[i])
        continue;
      double error = std::fabs(expected - ys[i]) - smallest;
      ASSERT_FALSE(std::isnan(error)) << xs[i];
      error /= std::fabs(expected);
      where = error > worst ? xs[i] : where;
      worst = std::max(worst, error);
    }
    EXPECT_LE(worst, std::pow(2.0, -13.5))
        << (isHalf ? "f16" : "bf16") << " at " << where;
  }
}

/// Every f16 through f16 commands.
static std::vector<double> ofEveryHalf(Function function) {
  Builder builder({{SequenceType::Half}});
  Sequence sequence =
      builder.finish(function(builder.real(0)), SequenceType::Half);
  std::vector<uint32_t> inputs(0x10000);
  std::iota(inputs.begin(), inputs.end(), 0);
  std::vector<double> results;
  for (uint32_t bits : interpret(sequence, {inputs}))
    results.push_back(numeric::halfToFloat(uint16_t(bits)));
  return results;
}

TEST(Sequence, GeluOfHalvesStaysWithinItsBounds) {
  const std::pair<Function, Reference> cases[] = {
      {sequence::geluOfHalves, exactGelu},
      {sequence::geluTanhOfHalves, exactGeluTanh}};
  for (auto [function, reference] : cases) {
    std::vector<double> results = ofEveryHalf(function);
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      double x = numeric::halfToFloat(uint16_t(bits)), y = results[bits],
             expected = reference(x);
      if (std::isnan(x)) {
        EXPECT_TRUE(std::isnan(y));
        continue;
      }
      if (y == expected)
        continue;
      EXPECT_LE(std::fabs(y - expected),
                0x1p-8 * std::max(std::fabs(expected), 0.125))
          << x;
    }
  }
}

TEST(Sequence, SwishOfHalvesStaysWithinItsBounds) {
  for (double alpha : {1.0, 1.702, 0.3}) {
    std::vector<double> results = ofEveryHalf(
        [alpha](Real x) { return sequence::swishOfHalves(x, alpha); });
    double squares = 0;
    size_t count = 0;
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      double x = numeric::halfToFloat(uint16_t(bits)), scaled = alpha * x,
             y = results[bits];
      if (std::isnan(x)) {
        EXPECT_TRUE(std::isnan(y));
        continue;
      }
      double expected = scaled < -60 ? 0 : x * portable::sigmoid(scaled);
      if (scaled < -8) { // less than 2^-11 of the largest of 8 bits
        EXPECT_LE(std::fabs(y - expected), 6e-4 / alpha) << x;
        continue;
      }
      if (y == expected)
        continue;
      double error = std::fabs(y - expected) - 0x1p-24; // of subnormal numbers
      error = std::max(error, 0.0) / std::fabs(expected);
      EXPECT_LE(error, std::pow(2.0, scaled < -4 ? -7.6 : -8.4)) << x;
      squares += error * error;
      ++count;
    }
    EXPECT_LE(std::sqrt(squares / count), 0x1.2p-11);
  }
}

static std::vector<ShortCase> shortCases() {
  return {{"Rsqrt", sequence::rsqrt16,
           [](double x) { return 1 / portable::sqrt(x); }},
          {"Sigmoid", sequence::sigmoid16, portable::sigmoid},
          {"Swish", [](Real x) { return sequence::swish16(x, 1.5); },
           [](double x) {
             return std::isinf(x) && x < 0 ? std::nan("")
                                           : x * portable::sigmoid(1.5 * x);
           }},
          {"Tanh", sequence::tanh16, portable::tanh},
          {"Erf", sequence::erf16, portable::erf},
          {"Gelu", sequence::gelu16, exactGelu, 0x1p-14},
          {"GeluTanh", sequence::geluTanh16, exactGeluTanh, 0x1p-14}};
}

INSTANTIATE_TEST_SUITE_P(Functions, ShortSequence,
                         ::testing::ValuesIn(shortCases()),
                         [](const auto &info) { return info.param.name; });

namespace {
struct Special {
  const char *name;
  Function function;
  std::vector<std::pair<float, float>> values; ///< x, f(x)
};
} // namespace

TEST(Sequence, SpecialValues) {
  namespace s = sequence;
  const Special specials[] = {
      {"exp", s::exp, {{kInf, kInf}, {-kInf, 0}, {0, 1}}},
      {"log",
       s::log,
       {{0, -kInf},
        {-0.0f, -kInf},
        {1, 0},
        {-1, kNot},
        {-kInf, kNot},
        {kInf, kInf}}},
      {"sqrt", s::sqrt, {{0, 0}, {-1, kNot}, {kInf, kInf}}},
      {"rsqrt", s::rsqrt, {{0, kInf}, {-0.0f, kInf}, {-1, kNot}, {kInf, 0}}},
      {"sigmoid", s::sigmoid, {{-kInf, 0}}},
      {"tanh", s::tanh, {{0, 0}}},
      {"sinh", s::sinh, {{0, 0}, {kInf, kInf}, {-kInf, -kInf}}},
      {"cosh", s::cosh, {{0, 1}, {kInf, kInf}, {-kInf, kInf}}},
      {"asinh", s::asinh, {{0, 0}, {kInf, kInf}, {-kInf, -kInf}}},
      {"acosh", s::acosh, {{1, 0}, {0.5f, kNot}, {-3, kNot}, {kInf, kInf}}},
      {"atanh", s::atanh, {{0, 0}, {1, kInf}, {-1, -kInf}, {2, kNot}}},
      {"softplus", s::softplus, {{kInf, kInf}, {-kInf, 0}}},
      {"erf", s::erf, {{0, 0}}},
      {"sin", s::sin, {{0, 0}, {kInf, kNot}}},
      {"cos", s::cos, {{0, 1}, {kInf, kNot}}},
      {"tan", s::tan, {{0, 0}, {kInf, kNot}}},
      {"asin", s::asin, {{0, 0}, {1.5f, kNot}, {-2, kNot}}},
      {"acos", s::acos, {{1, 0}, {1.5f, kNot}, {-2, kNot}}},
      {"atan", s::atan, {{0, 0}, {kInf, 1.57079637f}}},
      {"sign", s::sign, {{0, 0}, {kInf, 1}, {-kInf, -1}}},
      {"is_nan", [](Real x) { return s::isNaN(x); }, {{0, 0}, {kInf, 0}}},
  };
  for (const Special &special : specials) {
    for (const std::pair<float, float> &value : special.values) {
      auto [x, y] = value;
      float got = valuesOf(special.function, {x})[0];
      EXPECT_TRUE(got == y || (std::isnan(got) && std::isnan(y)))
          << special.name << "(" << x << ") = " << got << ", not " << y;
    }
    if (special.name != std::string("is_nan")) {
      EXPECT_TRUE(std::isnan(valuesOf(special.function, {kNot})[0]))
          << special.name << "(NaN) is not NaN";
    }
  }
  EXPECT_EQ(valuesOf(sequence::isNaN, {kNot})[0], 1);
}

namespace {
using Function2 = Real (*)(Real, Real);

std::vector<float> valuesOf(Function2 function, const std::vector<float> &xs,
                            const std::vector<float> &ys) {
  Builder builder({{SequenceType::F32}, {SequenceType::F32}});
  Sequence sequence = builder.finish(function(builder.real(0), builder.real(1)),
                                     SequenceType::F32);
  std::vector<std::vector<uint32_t>> bits(2);
  for (size_t i = 0; i < xs.size(); ++i) {
    bits[0].push_back(floatBits(xs[i]));
    bits[1].push_back(floatBits(ys[i]));
  }
  std::vector<float> results;
  for (uint32_t result : interpret(sequence, bits))
    results.push_back(floatFromBits(result));
  return results;
}

/// Pairs of numbers of all sizes between 2^-`range` and 2^`range`.
void fillPairs(int range, std::vector<float> &xs, std::vector<float> &ys) {
  std::mt19937 generator(11);
  auto number = [&] {
    double size = std::ldexp(1 + generator() * 0x1p-32,
                             int(generator() % (2 * range)) - range);
    return float(generator() & 1 ? -size : size);
  };
  for (int i = 0; i < 100000; ++i) {
    xs.push_back(number());
    ys.push_back(generator() & 1 ? number()
                                 : float(int(generator() % 41) - 20));
  }
}
} // namespace

TEST(Sequence, PowersAreWithinTenUlp) {
  std::vector<float> xs, ys;
  fillPairs(60, xs, ys);
  std::vector<float> got = valuesOf(sequence::pow, xs, ys);
  double worst = 0;
  for (size_t i = 0; i < xs.size(); ++i) {
    double expected = std::pow(double(xs[i]), double(ys[i]));
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(got[i])) << xs[i] << " ^ " << ys[i];
      continue;
    }
    if (std::fabs(expected) < 0x1p-125 || std::fabs(expected) > 0x1p127)
      continue; // tested below
    double error = std::fabs(got[i] - expected) / ulpOf(expected);
    ASSERT_LE(error, 10) << xs[i] << " ^ " << ys[i] << " = " << got[i]
                         << ", not " << expected;
    worst = std::max(worst, error);
  }
  RecordProperty("ulps", std::to_string(worst));
}

TEST(Sequence, PowersOfSpecialNumbersAreThoseOfC) {
  const float numbers[] = {0,     -0.0f, 1,     -1,   2,     -2,
                           0.5f,  -0.5f, 3,     -3,   1e30f, kInf,
                           -kInf, kNot,  -2.5f, 2.5f, 0.25f, -1e30f};
  std::vector<float> xs, ys;
  for (float x : numbers)
    for (float y : numbers) {
      xs.push_back(x);
      ys.push_back(y);
    }
  std::vector<float> got = valuesOf(sequence::pow, xs, ys);
  for (size_t i = 0; i < xs.size(); ++i) {
    float expected = std::pow(xs[i], ys[i]);
    if (std::fabs(expected) < 0x1p-125f)
      expected = std::copysign(0.0f, expected);
    EXPECT_TRUE((std::isnan(expected) && std::isnan(got[i])) ||
                (std::signbit(expected) == std::signbit(got[i]) &&
                 (expected == got[i] ||
                  std::fabs(got[i] - expected) <= 10 * ulpOf(expected))))
        << xs[i] << " ^ " << ys[i] << " = " << got[i] << ", not " << expected;
  }
}

TEST(Sequence, PowersByANumberAreThoseOfTensors) {
  std::vector<float> xs, ys;
  fillPairs(30, xs, ys);
  xs.resize(2000);
  for (float x : {0.0f, -0.0f, 1.0f, -1.0f, kInf, -kInf, kNot})
    xs.push_back(x);
  for (double y : {2.0, 3.0, 4.0, 0.5, -0.5, -1.0, 0.0, 1.0, 2.5}) {
    std::vector<float> got =
        valuesOf([&](Real x) { return sequence::powOf(x, y); }, xs);
    for (size_t i = 0; i < xs.size(); ++i) {
      double expected = std::pow(double(xs[i]), y);
      if (std::fabs(expected) > std::numeric_limits<float>::max())
        expected = std::copysign(double(kInf), expected);
      EXPECT_TRUE((std::isnan(expected) && std::isnan(got[i])) ||
                  expected == got[i] ||
                  std::fabs(got[i] - expected) <= 10 * ulpOf(expected))
          << xs[i] << " ^ " << y << " = " << got[i] << ", not " << expected;
    }
  }
}

TEST(Sequence, RemaindersAreExact) {
  std::vector<float> xs, ys;
  fillPairs(12, xs, ys);
  for (float x : {0.0f, -0.0f, 5.0f, -5.0f, kInf, kNot})
    for (float y : {0.0f, 5.0f, -2.5f, kInf, -kInf, kNot}) {
      xs.push_back(x);
      ys.push_back(y);
    }
  std::vector<float> got = valuesOf(sequence::fmod, xs, ys),
                     floor = valuesOf(sequence::floorMod, xs, ys);
  for (size_t i = 0; i < xs.size(); ++i) {
    double expected = portable::fmod(xs[i], ys[i]);
    ASSERT_TRUE(expected == got[i] ||
                (std::isnan(expected) && std::isnan(got[i])))
        << "fmod(" << xs[i] << ", " << ys[i] << ") = " << got[i] << ", not "
        << expected;
    if (std::isinf(ys[i]))
      continue; // a remainder of x plus an infinite divisor
    auto floored = float(portable::floorMod(xs[i], ys[i]));
    ASSERT_TRUE(std::fabs(floored - floor[i]) <= ulpOf(ys[i]) ||
                (std::isnan(floored) && std::isnan(floor[i])))
        << "mod(" << xs[i] << ", " << ys[i] << ") = " << floor[i] << ", not "
        << floored;
  }
}

TEST(Sequence, TestsForInfinityLookAtTheSignsAskedFor) {
  for (bool negative : {false, true})
    for (bool positive : {false, true}) {
      std::vector<float> got = valuesOf(
          [&](Real x) { return sequence::isInfinite(x, negative, positive); },
          {kInf, -kInf, kNot, 1e38f});
      EXPECT_EQ(got,
                (std::vector<float>{float(positive), float(negative), 0, 0}));
    }
}

TEST(Sequence, StepsThatNothingReadsAreDropped) {
  Builder builder({{SequenceType::F32}});
  Real x = builder.real(0);
  (void)(x * 3.0);
  Sequence sequence = builder.finish(x + 1.0, SequenceType::F32);
  EXPECT_EQ(sequence.steps.size(), 1u);
  EXPECT_EQ(sequence.scratchTiles, 0u);
  EXPECT_EQ(sequence.steps[0].place, kResultTile);
}

TEST(Sequence, ASpecialFunctionNeverWritesItsOperand) {
  // The result tile may hold x + 1 only if the last command works in place.
  Builder builder({{SequenceType::F32}});
  Real x = builder.real(0) + 1.0;
  Sequence sequence =
      builder.finish(sequence::polynomial(x, {1.0, 2.0}), SequenceType::F32);
  EXPECT_EQ(sequence.scratchTiles, 1u);
  EXPECT_EQ(sequence.steps[0].place, 0);
}

TEST(Sequence, OtherTypesAreConvertedAtBothEnds) {
  Builder builder({{SequenceType::Other}});
  Sequence sequence =
      builder.finish(builder.real(0) + 1.0, SequenceType::Other);
  ASSERT_EQ(sequence.steps.size(), 3u);
  EXPECT_EQ(sequence.steps.front().code, Step::Widen);
  EXPECT_EQ(sequence.steps.back().code, Step::Narrow);
  EXPECT_EQ(sequence.scratchTiles, 1u);
}
