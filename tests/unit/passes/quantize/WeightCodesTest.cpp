#include "passes/quantize/WeightCodes.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace weft::quantize;

namespace {

FloatConstant filterOf(int64_t columns, int64_t inner,
                       std::vector<float> values) {
  return {{columns, inner, 1, 1}, FloatValues(std::move(values))};
}

std::vector<float> normal(size_t count, double mean = 0) {
  std::mt19937 generator(5);
  std::vector<float> values(count);
  for (float &value : values) { // twelve even ones
    double sum = -6;
    for (int i = 0; i < 12; ++i)
      sum += generator() * 0x1p-32;
    value = static_cast<float>(sum + mean);
  }
  return values;
}

/// (code - zero point) * scale.
double numberOf(const WeightCodes &codes, size_t i) {
  size_t size = codes.codes.size() / codes.scales.size();
  int code = codes.zeros.empty()
                 ? codes.codes[i]
                 : static_cast<uint8_t>(codes.codes[i]) - codes.zeros[i / size];
  return static_cast<double>(code) * codes.scales[i / size];
}

double errorOf(const WeightCodes &codes, const std::vector<float> &values) {
  double error = 0;
  for (size_t i = 0; i < values.size(); ++i)
    error += std::pow(numberOf(codes, i) - values[i], 2);
  return error;
}

/// Dequantized codes of `bits` bits in groups of 32.
std::vector<float> dequantized(int bits, int zero) {
  std::mt19937 generator(7);
  std::vector<float> values(4 * 128);
  for (size_t i = 0; i < values.size(); ++i) {
    int code = static_cast<int>(generator() % (1U << bits));
    float scale = 0.003f + 0.001f * static_cast<float>(i / 32 % 7);
    values[i] = static_cast<float>(code - zero) * scale;
  }
  return values;
}

TEST(WeightCodes, FindsThoseOfTheGraph) {
  for (int bits : {4, 8})
    for (int zero : {1 << (bits - 1), 3}) {
      std::vector<float> values = dequantized(bits, zero);
      auto found = ownCodes(filterOf(4, 128, values));
      ASSERT_TRUE(found) << bits << " bits, zero point " << zero;
      EXPECT_EQ(found->bits, bits);
      EXPECT_EQ(found->groups, 4);
      EXPECT_EQ(found->zeros.empty(), zero != 3);
      for (size_t i = 0; i < values.size(); ++i) // the scale in f16
        EXPECT_LE(std::fabs(numberOf(*found, i) - values[i]),
                  std::fabs(values[i]) * 0x1.01p-11);
    }
}

TEST(WeightCodes, TakesTheLargestGroups) {
  std::vector<float> values = dequantized(4, 8);
  for (float &value : values)
    value = std::nearbyint(value / 0.004f) * 0.004f;
  auto found = ownCodes(filterOf(4, 128, values));
  ASSERT_TRUE(found);
  // Up to 18 steps of 0.004 to either side, in all groups alike: too many for
  // four bits, and one scale does for the column.
  EXPECT_EQ(found->bits, 8);
  EXPECT_EQ(found->groups, 1);
}

TEST(WeightCodes, FindsNoneInFloats) {
  EXPECT_FALSE(ownCodes(filterOf(4, 64, normal(256))));
  // Whole steps, but more of them than eight bits have.
  std::vector<float> values(64);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i * i) * 0.01f;
  EXPECT_FALSE(ownCodes(filterOf(1, 64, values)));
}

TEST(WeightCodes, AreScaledByTheirOwnScaleInF16Only) {
  // A step of 2^-20 is no normal number of f16.
  std::vector<float> values(64);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i % 8) * 0x1p-20f;
  EXPECT_FALSE(ownCodes(filterOf(1, 64, values)));
}

TEST(WeightCodes, SearchedScalesBeatTheLargestNumber) {
  std::vector<float> values = normal(16 * 128);
  for (int64_t bits : {4, 8}) {
    WeightCodes codes = *nearestCodes(filterOf(16, 128, values), bits, 64);
    EXPECT_EQ(codes.groups, 2);
    EXPECT_TRUE(codes.zeros.empty());
    double plain = 0, half = 1 << (bits - 1);
    for (size_t first = 0; first < values.size(); first += 64) {
      double largest = 0;
      for (size_t i = first; i < first + 64; ++i)
        largest = std::max<double>(largest, std::fabs(values[i]));
      double scale = largest / (half - 1);
      for (size_t i = first; i < first + 64; ++i)
        plain +=
            std::pow(std::nearbyint(values[i] / scale) * scale - values[i], 2);
    }
    // One more level, and ranges cut where that pays: 15 levels become 16.
    EXPECT_LT(errorOf(codes, values), (bits == 4 ? 0.9 : 1.0) * plain);
  }
}

TEST(WeightCodes, HaveZeroPointsWhereNumbersLieAside) {
  std::vector<float> values = normal(4 * 64, /*mean=*/2);
  WeightCodes codes = *nearestCodes(filterOf(4, 64, values), 4, 64);
  ASSERT_EQ(codes.zeros.size(), 4U);
  for (int8_t code : codes.codes)
    EXPECT_TRUE(code >= 0 && code < 16);
  // Better than even steps over the range with 0, which is the first one tried.
  double plain = 0;
  for (size_t first = 0; first < values.size(); first += 64) {
    auto begin = values.begin() + first;
    auto [low, high] = std::minmax_element(begin, begin + 64);
    double scale = (*high - std::min(*low, 0.0F)) / 15;
    std::for_each(begin, begin + 64, [&](float value) {
      plain += std::pow(std::nearbyint(value / scale) * scale - value, 2);
    });
  }
  EXPECT_LT(errorOf(codes, values), plain);
}

TEST(WeightCodes, GroupsDivideTheColumn) {
  std::vector<float> values = normal(96);
  EXPECT_EQ(nearestCodes(filterOf(1, 96, values), 4, 64)->groups, 3);
  EXPECT_EQ(nearestCodes(filterOf(1, 96, values), 4, 0)->groups, 1);
}

TEST(WeightCodes, OfZerosAreZeros) {
  WeightCodes codes =
      *nearestCodes(filterOf(1, 32, std::vector<float>(32)), 4, 32);
  for (size_t i = 0; i < 32; ++i)
    EXPECT_EQ(numberOf(codes, i), 0);
}

TEST(WeightCodes, AreNoneWhereF16HasNoScale) {
  std::vector<float> values = normal(4 * 64);
  auto times = [&](float factor, size_t columns) {
    std::vector<float> result = values;
    for (size_t i = 0; i < columns * 64; ++i)
      result[i] *= factor;
    return filterOf(4, 64, std::move(result));
  };
  for (int64_t bits : {4, 8}) {
    // Scales of 8 bits are about 2.6 / 127 of the factor: subnormal below
    // 2^-8.4, and good enough down to 2^-9.4.
    EXPECT_TRUE(nearestCodes(times(0x1p-9F, 4), bits, 64));
    EXPECT_FALSE(nearestCodes(times(0x1p-19F, 4), bits, 64));
    EXPECT_FALSE(nearestCodes(times(0x1p30F, 4), bits, 64));
    // One column that is too large makes up the whole matrix; one that is too
    // small is nothing beside the others.
    EXPECT_FALSE(nearestCodes(times(0x1p30F, 1), bits, 64));
    EXPECT_TRUE(nearestCodes(times(0x1p-19F, 1), bits, 64));
    // The scale is a number of f16, 128 times that is none.
    EXPECT_FALSE(nearestCodes(times(0x1p17F, 4), bits, 64));
  }
  EXPECT_FALSE(ownCodes(filterOf(1, 64, std::vector<float>(64, 80000.0F))));
  EXPECT_TRUE(ownCodes(filterOf(1, 64, std::vector<float>(64, 60000.0F))));
}

} // namespace
