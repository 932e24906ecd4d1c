#include "runtime/numeric/PortableMath.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace portable = weft::numeric::portable;

namespace {

struct Case {
  const char *name;
  double (*ours)(double);
  long double (*truth)(long double);
  double low, high;
  bool logarithmic; ///< sample the magnitude exponentially
};

void PrintTo(const Case &c, std::ostream *os) { *os << c.name; }

class PortableMath : public testing::TestWithParam<Case> {};

// The truth is glibc's long double function (64 bits of mantissa, error below
// 2^-60): an independent implementation with 11 bits to spare. The bound of 8
// ulp of double is the one the header promises.
TEST_P(PortableMath, isWithinEightUlpOfLongDouble) {
  const Case &c = GetParam();
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  double worst = 0, worstAt = 0;
  for (int i = 0; i < 20000; ++i) {
    double u = uniform(random);
    double x = c.logarithmic ? std::ldexp(1 + uniform(random),
                                          int(c.low + u * (c.high - c.low)))
                             : c.low + u * (c.high - c.low);
    if (c.logarithmic &&
        c.truth != static_cast<long double (*)(long double)>(std::log) && i % 2)
      x = -x;
    long double truth = c.truth(x);
    double rounded = double(truth);
    double ulp =
        std::nextafter(std::fabs(rounded), INFINITY) - std::fabs(rounded);
    double error = double(std::fabs((long double)c.ours(x) - truth)) / ulp;
    if (!(error <= worst)) {
      worst = error;
      worstAt = x;
    }
  }
  EXPECT_LE(worst, 8.0) << c.name << " at " << worstAt;
}

using L = long double;
const Case kCases[] = {
    {"exp", portable::exp, [](L x) -> L { return std::exp(x); }, -740, 709,
     false},
    {"expm1", portable::expm1, [](L x) -> L { return std::expm1(x); }, -40, 5,
     true},
    {"log", portable::log, static_cast<L (*)(L)>(std::log), -1000, 1000, true},
    {"logNearOne", portable::log, [](L x) -> L { return std::log(x); }, 0.5, 2,
     false},
    {"log1p", portable::log1p, [](L x) -> L { return std::log1p(x); }, -0.999,
     3, false},
    {"sinSmall", portable::sin, [](L x) -> L { return std::sin(x); }, -60, 19,
     true},
    {"sinLarge", portable::sin, [](L x) -> L { return std::sin(x); }, 20, 60,
     true},
    {"cosSmall", portable::cos, [](L x) -> L { return std::cos(x); }, -60, 19,
     true},
    {"cosLarge", portable::cos, [](L x) -> L { return std::cos(x); }, 20, 60,
     true},
    {"tan", portable::tan, [](L x) -> L { return std::tan(x); }, -30, 60, true},
    {"asin", portable::asin, [](L x) -> L { return std::asin(x); }, -1, 1,
     false},
    {"acos", portable::acos, [](L x) -> L { return std::acos(x); }, -1, 1,
     false},
    {"atan", portable::atan, [](L x) -> L { return std::atan(x); }, -40, 40,
     true},
    {"sinh", portable::sinh, [](L x) -> L { return std::sinh(x); }, -40, 8,
     true},
    {"cosh", portable::cosh, [](L x) -> L { return std::cosh(x); }, -40, 8,
     true},
    {"tanh", portable::tanh, [](L x) -> L { return std::tanh(x); }, -40, 8,
     true},
    {"asinh", portable::asinh, [](L x) -> L { return std::asinh(x); }, -40, 300,
     true},
    {"acosh", portable::acosh, [](L x) -> L { return std::acosh(x); }, 1, 1000,
     false},
    {"atanh", portable::atanh, [](L x) -> L { return std::atanh(x); }, -1, 1,
     false},
    {"erf", portable::erf, [](L x) -> L { return std::erf(x); }, -40, 3, true},
    {"erfcRight", portable::erfc, [](L x) -> L { return std::erfc(x); }, 1.25,
     26, false},
    {"erfcLeft", portable::erfc, [](L x) -> L { return std::erfc(x); }, -6, 0.4,
     false},
};
INSTANTIATE_TEST_SUITE_P(Functions, PortableMath, testing::ValuesIn(kCases),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

TEST(PortableMathSpecial, valuesOfAnnexF) {
  const double inf = std::numeric_limits<double>::infinity(),
               nan = std::nan("");
  EXPECT_EQ(portable::exp(-inf), 0.0);
  EXPECT_EQ(portable::exp(inf), inf);
  EXPECT_EQ(portable::exp(0.0), 1.0);
  EXPECT_TRUE(std::isnan(portable::exp(nan)));
  EXPECT_EQ(portable::log(0.0), -inf);
  EXPECT_TRUE(std::isnan(portable::log(-1.0)));
  EXPECT_EQ(portable::tanh(inf), 1.0);
  EXPECT_EQ(portable::tanh(-inf), -1.0);
  EXPECT_TRUE(std::signbit(portable::sin(-0.0)));
  EXPECT_TRUE(std::isnan(portable::sin(inf)));
  EXPECT_EQ(portable::sigmoid(-inf), 0.0);
  EXPECT_EQ(portable::sigmoid(inf), 1.0);
  EXPECT_EQ(portable::softplus(inf), inf);
  EXPECT_EQ(portable::softplus(-inf), 0.0);
  EXPECT_EQ(portable::atan(inf), std::atan(inf));
  EXPECT_EQ(portable::asin(1.0), std::asin(1.0));
  EXPECT_EQ(portable::acos(-1.0), std::acos(-1.0));
  EXPECT_EQ(portable::atanh(1.0), inf);
  EXPECT_EQ(portable::erf(inf), 1.0);
  EXPECT_EQ(portable::erfc(inf), 0.0);
  EXPECT_EQ(portable::asinh(-inf), -inf);
}

TEST(PortableMathSpecial, roundsHalvesToEven) {
  const double cases[][2] = {{0.5, 0},
                             {1.5, 2},
                             {2.5, 2},
                             {-0.5, 0},
                             {-1.5, -2},
                             {-2.5, -2},
                             {0.49999999999999994, 0},
                             {4503599627370497.0, 4503599627370497.0},
                             {-3.7, -4}};
  for (const auto &c : cases)
    EXPECT_EQ(portable::roundHalfToEven(c[0]), c[1]) << c[0];
  EXPECT_TRUE(std::signbit(portable::roundHalfToEven(-0.3)));
}

TEST(PortableMathSpecial, powIsExactForSmallWholeExponentsAndCloseElsewhere) {
  EXPECT_EQ(portable::pow(3, 4), 81);
  EXPECT_EQ(portable::pow(-2, 3), -8);
  EXPECT_EQ(portable::pow(2, -2), 0.25);
  EXPECT_EQ(portable::pow(9, 0.5), 3);
  EXPECT_EQ(portable::pow(0, -1), INFINITY);
  EXPECT_EQ(portable::pow(-0.0, -3), -INFINITY);
  EXPECT_TRUE(std::isnan(portable::pow(-2, 0.3)));
  EXPECT_EQ(portable::pow(0.5, INFINITY), 0);
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> base(0.01, 100), exponent(-70, 70);
  for (int i = 0; i < 5000; ++i) {
    double x = base(random), y = exponent(random);
    // |y log x| < 323, and half an ulp of it is an absolute error of exp's
    // argument: 323 * 2^-53 plus the logarithm's 8 ulp.
    EXPECT_NEAR(portable::pow(x, y) / double(std::pow(L(x), L(y))), 1.0,
                323 * 9 * 0x1p-53)
        << x << "^" << y;
  }
}

TEST(PortableMathSpecial, remaindersHaveTheSignOfTheirRule) {
  EXPECT_EQ(portable::fmod(-7, 3), -1);
  EXPECT_EQ(portable::floorMod(-7, 3), 2);
  EXPECT_EQ(portable::floorMod(7, -3), -2);
  EXPECT_EQ(portable::floorMod(6, 3), 0);
}

} // namespace
