#include "passes/quantize/ValueHistogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace weft::quantize;

static std::vector<float> normal(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> values;
  std::vector<float> all(count);
  for (float &value : all)
    value = values(random);
  return all;
}

TEST(ValueHistogram, PercentileMatchesTheSortedValues) {
  std::vector<float> values = normal(100000, 1);
  ValueHistogram histogram;
  ASSERT_TRUE(histogram.add(values));
  std::vector<double> magnitudes;
  for (float value : values)
    magnitudes.push_back(std::fabs(value));
  std::sort(magnitudes.begin(), magnitudes.end());
  for (double percentile : {50.0, 99.0, 99.9, 99.99}) {
    double exact =
        magnitudes[std::llround(percentile / 100 * values.size()) - 1];
    // Both lie in one bin: 8 / 8192 wide, as the maximum is between 4 and 8.
    EXPECT_NEAR(histogram.percentile(percentile), exact, 8.0 / 8192)
        << percentile;
  }
  EXPECT_EQ(histogram.percentile(100), histogram.absMax());
}

TEST(ValueHistogram, OrderOfSamplesDoesNotMatter) {
  std::vector<float> small = normal(5000, 2), large = normal(5000, 3),
                     zeros(100, 0.0f);
  for (float &value : small)
    value *= 0x1p-20f;
  ValueHistogram first, second;
  for (const auto *values : {&zeros, &small, &large})
    ASSERT_TRUE(first.add(*values));
  for (const auto *values : {&large, &zeros, &small})
    ASSERT_TRUE(second.add(*values));
  for (double percentile : {10.0, 60.0, 99.0, 99.99})
    EXPECT_EQ(first.percentile(percentile), second.percentile(percentile))
        << percentile;
  auto bins = [](const ValueHistogram &histogram) {
    std::vector<std::pair<double, double>> list;
    for (const ValueHistogram::Bin &bin : histogram.filledBins())
      list.emplace_back(bin.value, bin.count);
    return list;
  };
  EXPECT_EQ(bins(first), bins(second));
  EXPECT_EQ(first.min(), second.min());
}

TEST(ValueHistogram, GivesThePowerOfWhatIsClipped) {
  ValueHistogram histogram;
  histogram.add(std::vector<float>{-3, -1, 0, 1, 2, 4});
  // -3 loses 1, 4 loses 2; a bin is 1/8192 of 8 wide.
  EXPECT_NEAR(histogram.powerBeyond(-2, 2), (1 + 4) / 6.0, 0.01);
  EXPECT_EQ(histogram.powerBeyond(-8, 8), 0);
}

TEST(ValueHistogram, RefusesWhatIsNotFinite) {
  ValueHistogram histogram;
  EXPECT_FALSE(histogram.add({1.0f, std::nanf("")}));
  EXPECT_FALSE(histogram.add({std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(histogram.count(), 0u);
}

TEST(ValueHistogram, MergedHistogramsAreThatOfAllValues) {
  std::vector<float> zeros(100, 0.0f), small = normal(5000, 4),
                                       large = normal(5000, 5);
  for (float &value : small)
    value *= 0x1p-20f;
  for (const auto &[left, right] :
       {std::pair(&small, &large), std::pair(&large, &small),
        std::pair(&zeros, &small), std::pair(&large, &zeros)}) {
    ValueHistogram all, merged, other;
    ASSERT_TRUE(all.add(*left) && all.add(*right));
    ASSERT_TRUE(merged.add(*left) && other.add(*right));
    merged.merge(other);
    merged.merge(ValueHistogram()); // nothing
    EXPECT_EQ(merged.min(), all.min());
    EXPECT_EQ(merged.max(), all.max());
    EXPECT_EQ(merged.count(), all.count());
    for (double percentile : {10.0, 60.0, 99.0})
      EXPECT_EQ(merged.percentile(percentile), all.percentile(percentile));
  }
}

TEST(ValueHistogram, BinsHaveTheSignOfTheirValues) {
  ValueHistogram histogram;
  ASSERT_TRUE(histogram.add({-1.0f, -1.0f, 0.25f, 0.0f}));
  std::vector<ValueHistogram::Bin> bins = histogram.filledBins();
  ASSERT_EQ(bins.size(), 3u);
  // 1 needs the range 2: a bin is 2 / 8192 wide, its middle half of that away.
  const double middle = 1.0 / ValueHistogram::kBins;
  EXPECT_EQ(bins[0].value, -1 - middle);
  EXPECT_EQ(bins[0].count, 2);
  EXPECT_EQ(bins[1].value, middle);
  EXPECT_EQ(bins[2].value, 0.25 + middle);
}
