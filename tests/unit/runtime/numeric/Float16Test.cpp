#include "runtime/numeric/Float16.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace weft::numeric;

static_assert(floatToHalf(1.0f) == 0x3c00);
static_assert(halfToFloat(0x3c00) == 1.0f);
static_assert(floatToBf16(1.0f) == 0x3f80);

TEST(Float16, everyHalfSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    bool nan = (bits & 0x7fff) > 0x7c00;
    EXPECT_EQ(floatToHalf(halfToFloat(uint16_t(bits))), nan ? kNaN16 : bits);
    EXPECT_EQ(floatToHalfFast(halfToFloat(uint16_t(bits))),
              nan ? kNaN16 : bits);
    bool bfNan = (bits & 0x7fff) > 0x7f80;
    EXPECT_EQ(floatToBf16(bf16ToFloat(uint16_t(bits))), bfNan ? kNaN16 : bits);
    EXPECT_EQ(floatToBf16Fast(bf16ToFloat(uint16_t(bits))),
              bfNan ? kNaN16 : bits);
  }
}

TEST(Float16, wideningMatchesTheDefinition) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    int exponent = int(bits >> 10);
    double fraction = (bits & 0x3ff) / 1024.0;
    double want = exponent ? std::ldexp(1 + fraction, exponent - 15)
                           : std::ldexp(fraction, -14);
    EXPECT_EQ(double(halfToFloat(uint16_t(bits))), want);
    EXPECT_EQ(double(halfToFloat(uint16_t(bits | 0x8000))), -want);
  }
}

TEST(Float16, fastPathsEqualTheReferenceOnBoundariesAndRandomBits) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000000; ++i) {
    uint32_t bits = random();
    if (i & 1) // around halves: exact ties and their neighbours
      bits = floatBits(halfToFloat(uint16_t(bits >> 16))) + 0x1000 +
             (bits % 3) - 1;
    float value = floatFromBits(bits);
    ASSERT_EQ(floatToHalfFast(value), floatToHalf(value)) << std::hex << bits;
    ASSERT_EQ(floatToBf16Fast(value), floatToBf16(value)) << std::hex << bits;
  }
}

TEST(Float16, directedRoundingBracketsTheValue) {
  std::mt19937 random(2);
  for (int i = 0; i < 200000; ++i) {
    float value = floatFromBits(random());
    if (!std::isfinite(value))
      continue;
    float down = halfToFloat(floatToHalf(value, Rounding::Floor));
    float up = halfToFloat(floatToHalf(value, Rounding::Ceil));
    float zero = halfToFloat(floatToHalf(value, Rounding::TowardZero));
    EXPECT_LE(down, value);
    EXPECT_GE(up, value);
    EXPECT_EQ(zero, value < 0 ? up : down);
    float nearest = halfToFloat(floatToHalf(value));
    EXPECT_TRUE(nearest == down || nearest == up);
  }
}

TEST(Float16, overflowAndSpecials) {
  EXPECT_EQ(floatToHalf(65519.0f), 0x7bff);
  EXPECT_EQ(floatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(floatToHalf(1e9f, Rounding::TowardZero), 0x7bff);
  EXPECT_EQ(floatToHalf(-1e9f, Rounding::Ceil), 0xfbff);
  EXPECT_EQ(floatToHalf(-INFINITY), 0xfc00);
  EXPECT_EQ(floatToHalf(-0.0f), 0x8000);
  EXPECT_EQ(floatToHalf(-NAN), 0x7fff);
  EXPECT_EQ(floatToHalf(std::ldexp(1.0f, -25)), 0);
  EXPECT_EQ(floatToHalf(std::ldexp(1.0f, -25), Rounding::HalfAwayFromZero), 1);
  EXPECT_EQ(floatToBf16(3.4e38f), 0x7f80);
}
