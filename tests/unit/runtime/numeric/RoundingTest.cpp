#include "runtime/numeric/Rounding.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace weft::numeric;

namespace {
struct Case {
  Rounding mode;
  int64_t minusThree, minusTwo, minusOne, one, two,
      three; // quarters: -3/2, -1, -1/2, 1/2, 1, 3/2
};
} // namespace

TEST(Rounding, tiesOfEveryMode) {
  // value / 2: -1.5 -1 -0.5 0.5 1 1.5
  const Case cases[] = {
      {Rounding::HalfToEven, -2, -1, 0, 0, 1, 2},
      {Rounding::HalfAwayFromZero, -2, -1, -1, 1, 1, 2},
      {Rounding::TowardZero, -1, -1, 0, 0, 1, 1},
      {Rounding::Floor, -2, -1, -1, 0, 1, 1},
      {Rounding::Ceil, -1, -1, 0, 1, 1, 2},
      {Rounding::HalfUp, -1, -1, 0, 1, 1, 2},
      {Rounding::HalfDown, -2, -1, -1, 0, 1, 1},
  };
  for (const Case &c : cases) {
    EXPECT_EQ(shiftRightRounded(-3, 1, c.mode), c.minusThree);
    EXPECT_EQ(shiftRightRounded(-2, 1, c.mode), c.minusTwo);
    EXPECT_EQ(shiftRightRounded(-1, 1, c.mode), c.minusOne);
    EXPECT_EQ(shiftRightRounded(1, 1, c.mode), c.one);
    EXPECT_EQ(shiftRightRounded(2, 1, c.mode), c.two);
    EXPECT_EQ(shiftRightRounded(3, 1, c.mode), c.three);
  }
}

TEST(Rounding, equalsTheMathematicsOfLongDouble) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200000; ++i) {
    int64_t value = int64_t(random()) >> (random() % 60);
    unsigned shift = random() % 66;
    long double exact = std::ldexp((long double)value, -int(shift));
    EXPECT_EQ(shiftRightRounded(value, shift, Rounding::Floor),
              int64_t(std::floor(exact)));
    EXPECT_EQ(shiftRightRounded(value, shift, Rounding::Ceil),
              int64_t(std::ceil(exact)));
    EXPECT_EQ(shiftRightRounded(value, shift, Rounding::TowardZero),
              int64_t(std::trunc(exact)));
    EXPECT_EQ(shiftRightRounded(value, shift, Rounding::HalfAwayFromZero),
              int64_t(std::round(exact)));
    EXPECT_EQ(shiftRightRounded(value, shift, Rounding::HalfToEven),
              int64_t(std::rint(exact)));
  }
}

TEST(Rounding, shiftsFarBeyondTheWidth) {
  for (unsigned shift : {64u, 65u, 200u}) {
    EXPECT_EQ(shiftRightRounded(-5, shift, Rounding::Floor), -1);
    EXPECT_EQ(shiftRightRounded(-5, shift, Rounding::HalfUp), 0);
    EXPECT_EQ(shiftRightRounded(5, shift, Rounding::Ceil), 1);
    EXPECT_EQ(shiftRightRounded(0, shift, Rounding::Ceil), 0);
  }
  EXPECT_EQ(shiftRightRounded(INT64_MIN, 64, Rounding::HalfAwayFromZero), -1);
  EXPECT_EQ(shiftRightRounded(INT64_MIN, 64, Rounding::HalfToEven), 0);
  EXPECT_EQ(shiftRounded(3, 64, Rounding::Floor), 0);
  EXPECT_EQ(shiftRounded(3, 4, Rounding::Floor), 48);
  EXPECT_EQ(shiftRounded(-24, -4, Rounding::HalfUp), -1);
}

TEST(Rounding, saturation) {
  EXPECT_EQ(saturate(200, 8, true), 127);
  EXPECT_EQ(saturate(-200, 8, true), -128);
  EXPECT_EQ(saturate(300, 8, false), 255);
  EXPECT_EQ(saturate(-1, 16, false), 0);
  EXPECT_EQ(saturate(INT64_MAX, 32, true), INT32_MAX);
  EXPECT_EQ(saturate(INT64_MAX, 32, false), int64_t(UINT32_MAX));
}

TEST(Rounding, floatsToIntegers) {
  EXPECT_EQ(roundToInteger(2.5, Rounding::HalfToEven, -128, 127), 2);
  EXPECT_EQ(roundToInteger(-2.5, Rounding::HalfAwayFromZero, -128, 127), -3);
  EXPECT_EQ(roundToInteger(-2.5, Rounding::Floor, -128, 127), -3);
  EXPECT_EQ(roundToInteger(-2.5, Rounding::Ceil, -128, 127), -2);
  EXPECT_EQ(roundToInteger(-2.5, Rounding::TowardZero, -128, 127), -2);
  EXPECT_EQ(roundToInteger(NAN, Rounding::Floor, -128, 127), 0);
  EXPECT_EQ(roundToInteger(INFINITY, Rounding::Floor, -128, 127), 127);
  EXPECT_EQ(roundToInteger(-1e30, Rounding::Floor, -128, 127), -128);
}
