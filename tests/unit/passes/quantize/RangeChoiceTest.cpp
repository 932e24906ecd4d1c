#include "passes/quantize/RangeChoice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace weft::quantize;

static CalibrationEntry choose(llvm::ArrayRef<float> values,
                               CalibrationMethod method,
                               double percentile = 99.99) {
  ValueHistogram histogram;
  EXPECT_TRUE(histogram.add(values));
  return chooseRange("x", histogram, {method, percentile});
}

TEST(RangeChoice, MaxClipsNothing) {
  CalibrationEntry entry =
      choose({-0.375f, 0.0f, 9.5f}, CalibrationMethod::Max);
  EXPECT_EQ(entry.threshold, 9.5);
  EXPECT_EQ(entry.low, -0.375);
  EXPECT_EQ(entry.high, 9.5);
}

/// Values in [-0.375, 4) and one of 100: as behind a hard-swish.
static std::vector<float> lopsided() {
  std::vector<float> values;
  for (int i = 0; i < 10000; ++i)
    values.push_back(-0.375f + 4.375f * i / 10000);
  values.push_back(100);
  return values;
}

TEST(RangeChoice, PercentileKeepsTheEndThatCostsNothing) {
  CalibrationEntry entry =
      choose(lopsided(), CalibrationMethod::Percentile, 99.9);
  // One in a thousand is clipped: ten values, 4.375 / 10000 apart, and the
  // outlier. Histograms of values up to 128 have bins of 1 / 64.
  EXPECT_NEAR(entry.threshold, 4, 1.0 / 64);
  EXPECT_EQ(entry.low, -0.375);
  EXPECT_EQ(entry.high, entry.threshold);
}

TEST(RangeChoice, ZerosHaveARange) {
  for (CalibrationMethod method :
       {CalibrationMethod::Max, CalibrationMethod::Percentile,
        CalibrationMethod::Mse, CalibrationMethod::Kl}) {
    CalibrationEntry entry = choose({0.0f, -0.0f}, method);
    EXPECT_EQ(entry.threshold, 1e-5);
    EXPECT_EQ(entry.low, 0);
    EXPECT_EQ(entry.high, 1e-5);
  }
}

TEST(RangeChoice, SmallValuesHaveTheirRange) {
  for (CalibrationMethod method :
       {CalibrationMethod::Max, CalibrationMethod::Percentile,
        CalibrationMethod::Mse, CalibrationMethod::Kl}) {
    CalibrationEntry entry = choose({-1e-18f, 0.0f, 1e-18f}, method);
    EXPECT_NEAR(entry.threshold, 1e-18, 1e-21);
    EXPECT_EQ(entry.low, -entry.high);
    EXPECT_EQ(choose({1e-20f}, method).threshold, 1e-5); // as zeros
  }
}

TEST(RangeChoice, LeastSquaresClipsARareOutlierOnly) {
  std::vector<float> uniform;
  for (int i = 0; i < 10000; ++i)
    uniform.push_back(i / 10000.0f);
  CalibrationEntry flat = choose(uniform, CalibrationMethod::Mse);
  EXPECT_GT(flat.threshold, 0.95);
  EXPECT_GT(flat.high, 0.95);
  std::vector<float> spiked;
  for (int i = 0; i < 100; ++i)
    spiked.insert(spiked.end(), uniform.begin(), uniform.end());
  spiked.push_back(8.0f); // one in a million, eight times as large: cheaper to
                          // lose some of it than 3 bits of all
  EXPECT_LT(choose(spiked, CalibrationMethod::Mse).threshold, 4);
  EXPECT_LT(choose(spiked, CalibrationMethod::Mse).high, 4);
}

/// Mean squared error of `values` in 256 codes from `low` to `high`, the zero
/// point a whole number.
static double errorOf(const std::vector<float> &values, double low,
                      double high) {
  double scale = (high - low) / 255, zeroPoint = std::nearbyint(-low / scale),
         error = 0;
  for (float value : values) {
    double code = std::nearbyint(value / scale) + zeroPoint;
    double real = (std::min(std::max(code, 0.0), 255.0) - zeroPoint) * scale;
    error += (real - value) * (real - value);
  }
  return error / static_cast<double>(values.size());
}

TEST(RangeChoice, LeastSquaresEndsAreTheBestOfAGridOfBoth) {
  // The tails differ, so the ends must be found apart: exponential to the
  // right, a tenth as wide to the left.
  std::mt19937 random(6);
  std::exponential_distribution<float> tail;
  std::vector<float> values;
  for (int i = 0; i < 20000; ++i)
    values.push_back(i % 2 ? tail(random) : -0.1f * tail(random));
  CalibrationEntry entry = choose(values, CalibrationMethod::Mse);
  EXPECT_LT(entry.high, entry.max);
  double least = HUGE_VAL;
  for (int low = 0; low <= 20; ++low)
    for (int high = 1; high <= 20; ++high)
      least = std::min(
          least, errorOf(values, entry.min * low / 20, entry.max * high / 20));
  // The choice counts values at the middle of their bins, 2^-9 wide: with a
  // step of about 1 / 32 the error of a value is off by 1 % of its mean.
  EXPECT_LT(errorOf(values, entry.low, entry.high), 1.01 * least);
}

TEST(RangeChoice, DivergenceClipsTheOutliersOfEachSide) {
  std::vector<float> values;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 200000; ++i) { // the left side is a quarter as wide
    float value = normal(random);
    values.push_back(value < 0 ? value / 4 : value);
  }
  values.insert(values.end(), {40.0f, -10.0f});
  CalibrationEntry entry = choose(values, CalibrationMethod::Kl);
  // 200000 normal values end near 4.5, a tenth of the outliers. 128 codes need
  // 128 of 2048 counts, a sixteenth: 2.5.
  EXPECT_GE(entry.threshold, 2.5);
  EXPECT_LT(entry.threshold, 8);
  EXPECT_LT(entry.high, 8);
  EXPECT_GT(entry.low, -2);
  EXPECT_LE(entry.low, -2.5 / 4);
}

TEST(RangeChoice, DivergenceKeepsAUniformRangeInSpiteOfZeros) {
  std::vector<float> values(100000, 0.0f); // as behind a ReLU
  for (int i = 1; i <= 100000; ++i)
    values.push_back(i / 100000.0f);
  CalibrationEntry entry = choose(values, CalibrationMethod::Kl);
  EXPECT_GT(entry.threshold, 0.95);
  EXPECT_EQ(entry.low, 0);
  EXPECT_GT(entry.high, 0.95);
}
