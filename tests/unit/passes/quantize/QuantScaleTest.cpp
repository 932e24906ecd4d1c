#include "passes/quantize/QuantScale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace weft::quantize;

TEST(QuantScale, PowersOfTwoSplitExactly) {
  for (int exponent = -32; exponent <= 30; ++exponent) {
    std::optional<QuantScale> scale = splitScale(std::ldexp(1.0, exponent));
    ASSERT_TRUE(scale.has_value()) << exponent;
    EXPECT_EQ(scale->multiplier, 1 << 30);
    EXPECT_EQ(scale->rshift, 30 - exponent);
  }
}

TEST(QuantScale, RelativeErrorIsBelowTwoToTheMinus31) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-32, 30);
  for (int i = 0; i < 100000; ++i) {
    double real = std::exp2(exponent(random));
    std::optional<QuantScale> scale = splitScale(real);
    ASSERT_TRUE(scale.has_value()) << real;
    ASSERT_GE(scale->multiplier, 1 << 30);
    ASSERT_GE(scale->rshift, 0);
    ASSERT_LE(scale->rshift, 62);
    // The multiplier is rounded to an integer of at least 2^30: half a step is
    // at most 2^-31 of it.
    double back = std::ldexp(scale->multiplier, -scale->rshift);
    ASSERT_LE(std::fabs(back - real), real * 0x1p-31) << real;
  }
}

TEST(QuantScale, RoundingUpToThePowerOfTwoKeepsTheRange) {
  std::optional<QuantScale> scale = splitScale(std::nextafter(1.0, 0.0));
  ASSERT_TRUE(scale.has_value());
  EXPECT_EQ(scale->multiplier, 1 << 30);
  EXPECT_EQ(scale->rshift, 30);
}

TEST(QuantScale, RefusesWhatTheMachineCannotShift) {
  for (double scale : {0.0, -1.0, 0x1p-33, std::nextafter(0x1p30, HUGE_VAL),
                       HUGE_VAL, std::nan("")})
    EXPECT_FALSE(splitScale(scale).has_value()) << scale;
}

TEST(QuantScale, SymmetricScaleIsAFloatAndNeverZero) {
  EXPECT_EQ(symmetricScale(127, true), 1.0);
  EXPECT_EQ(symmetricScale(255, false), 1.0);
  EXPECT_EQ(symmetricScale(0, true), static_cast<float>(1e-5 / 127));
  EXPECT_EQ(symmetricScale(1e-20, true), static_cast<float>(1e-5 / 127));
  EXPECT_EQ(symmetricScale(1e-18, true), static_cast<float>(1e-18 / 127));
  double scale = symmetricScale(1, true);
  EXPECT_EQ(scale, static_cast<float>(scale));
}

TEST(QuantScale, AZeroPointIsACodeAndTheEndsMoveByHalfAStep) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> end(0, 20);
  for (int i = 0; i < 100000; ++i) {
    double low = -end(random), high = end(random);
    ZeroPointScale found = zeroPointScale(low, high);
    ASSERT_GE(found.zeroPoint, -128);
    ASSERT_LE(found.zeroPoint, 127);
    ASSERT_EQ(found.scale, static_cast<float>(found.scale));
    // Rounding the scale to f32 moves the ends by 255 * 2^-24 steps.
    double half = found.scale * (0.5 + 255 * 0x1p-24);
    ASSERT_NEAR(found.scale * double(-128 - found.zeroPoint), low, half);
    ASSERT_NEAR(found.scale * double(127 - found.zeroPoint), high, half);
  }
}

TEST(QuantScale, AOneSidedRangeEndsAtZero) {
  EXPECT_EQ(zeroPointScale(-255, 0).zeroPoint, 127);
  EXPECT_EQ(zeroPointScale(-255, 0).scale, 1.0);
  EXPECT_EQ(zeroPointScale(0, 255).zeroPoint, -128);
  EXPECT_EQ(zeroPointScale(0, 0).scale, static_cast<float>(1e-5 / 255));
  EXPECT_EQ(zeroPointScale(-1e-18, 1e-18).scale,
            static_cast<float>(2e-18 / 255));
}
