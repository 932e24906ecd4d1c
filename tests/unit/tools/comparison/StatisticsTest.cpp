//===- StatisticsTest.cpp - histograms and saturation ---------------------===//

#include "tools/comparison/Statistics.h"
#include "tools/comparison/Metrics.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

using namespace weft;
using namespace weft::comparison;
using numeric::ElementType;
using numeric::HostTensor;

namespace {

HostTensor tensorOf(const std::vector<double> &values,
                    std::vector<int64_t> shape = {}) {
  if (shape.empty())
    shape = {int64_t(values.size())};
  HostTensor tensor(ElementType::F32, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i)
    tensor.setFromDouble(int64_t(i), values[i]);
  return tensor;
}

uint32_t sumOf(const Histogram &histogram) {
  return std::accumulate(histogram.counts.begin(), histogram.counts.end(), 0u);
}

std::vector<double> ramp(size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

TEST(Statistics, EqualPartsOfOneRange) {
  std::vector<double> reference = ramp(640), result = reference;
  result[0] = -640; // both sides have the range of both
  Statistics found =
      statisticsOf(tensorOf(result), tensorOf(reference), nullptr, CodeRange());
  ASSERT_EQ(found.result.counts.size(), kHistogramParts);
  EXPECT_EQ(found.result.least, -640);
  EXPECT_EQ(found.result.most, 639);
  EXPECT_EQ(found.result.least, found.reference.least);
  EXPECT_EQ(found.result.counts[0], 1u);
  EXPECT_EQ(found.reference.counts[0], 0u);
  EXPECT_EQ(sumOf(found.result), 640u);
  EXPECT_EQ(sumOf(found.reference), 640u);
  EXPECT_FALSE(found.saturation || found.addedError);
}

TEST(Statistics, ErrorsAreAroundZero) {
  std::vector<double> reference = ramp(100), result = reference, own = result;
  for (double &value : result)
    value += 0.5;
  for (double &value : own)
    value += 0.25;
  HostTensor ownTensor = tensorOf(own);
  Statistics found = statisticsOf(tensorOf(result), tensorOf(reference),
                                  &ownTensor, CodeRange());
  EXPECT_EQ(found.error.least, -0.5);
  EXPECT_EQ(found.error.most, 0.5);
  EXPECT_EQ(found.error.counts.back(), 100u);
  ASSERT_TRUE(found.addedError);
  EXPECT_EQ(found.addedError->most, 0.5);
  EXPECT_EQ(found.addedError->counts[kHistogramParts * 3 / 4], 100u);
}

TEST(Statistics, FarNumbersAreInTheEndParts) {
  std::vector<double> reference = ramp(1000), result = reference;
  reference[500] = result[500] = -1e30;
  Statistics found =
      statisticsOf(tensorOf(result), tensorOf(reference), nullptr, CodeRange());
  EXPECT_GT(found.reference.least, -1e30);
  EXPECT_EQ(found.reference.counts.front(), 1u);
  EXPECT_EQ(sumOf(found.reference), 1000u);
}

TEST(Statistics, OneNumberAndNoneThatIsFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Statistics one = statisticsOf(tensorOf({3, 3, 3}), tensorOf({3, 3, 3}),
                                nullptr, CodeRange());
  EXPECT_EQ(one.result.least, 3);
  EXPECT_EQ(one.result.most, 3);
  EXPECT_EQ(one.result.counts[kHistogramParts / 2], 3u);
  EXPECT_EQ(one.error.counts[kHistogramParts / 2], 3u);
  Statistics none =
      statisticsOf(tensorOf({kInfinity, NAN}), tensorOf({kInfinity, 1}),
                   nullptr, CodeRange());
  EXPECT_EQ(sumOf(none.result), 0u);
  EXPECT_EQ(sumOf(none.reference), 1u);
  EXPECT_EQ(sumOf(none.error), 0u);
}

/// Codes of -1 to 1 in steps of .5.
TEST(Statistics, CodesAtTheEndsAndWhatTheyCutOff) {
  std::vector<double> result = {-1, -1, -0.5, 0, 0.5, 1, 1, 1};
  std::vector<double> own = {-1, -1.2, -0.5, 0, 0.5, 1.5, 9, 1.2};
  HostTensor ownTensor = tensorOf(own);
  Statistics found = statisticsOf(tensorOf(result), tensorOf(result),
                                  &ownTensor, CodeRange{0.5, -1, 1});
  ASSERT_TRUE(found.saturation);
  EXPECT_DOUBLE_EQ(found.saturation->atLeast, 2 / 8.);
  EXPECT_DOUBLE_EQ(found.saturation->atMost, 3 / 8.);
  // Half a step beyond the end is rounding.
  EXPECT_DOUBLE_EQ(found.saturation->cutAtLeast, 0);
  EXPECT_DOUBLE_EQ(found.saturation->cutAtMost, 2 / 8.);
}

TEST(Statistics, DeadChannelsAreNamed) {
  std::vector<double> reference, result;
  for (int channel = 0; channel < 8; ++channel)
    for (int i = 0; i < 64; ++i) {
      double value = std::sin(i * 0.7 + channel);
      reference.push_back(value);
      result.push_back(channel == 2 || channel == 5 ? 0 : value);
    }
  Metrics metrics = measure(tensorOf(result, {1, 8, 8, 8}),
                            tensorOf(reference, {1, 8, 8, 8}), Kind());
  EXPECT_EQ(metrics.deadAxis, 1);
  EXPECT_EQ(metrics.deadIndices, (std::vector<int64_t>{2, 5}));
}

} // namespace
