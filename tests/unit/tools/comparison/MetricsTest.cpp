//===- MetricsTest.cpp - what comparisons see -----------------------------===//
//
// Each wrong result below keeps a cosine of .99 or more, which was the only
// limit once, and must fail; right ones with the noise of their precision must
// pass.
//
//===----------------------------------------------------------------------===//

#include "tools/comparison/Metrics.h"
#include "tools/comparison/ZeroFloor.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace weft;
using namespace weft::comparison;
using numeric::ElementType;
using numeric::HostTensor;

namespace {

constexpr Precision kAll[] = {Precision::F32, Precision::F16, Precision::Bf16,
                              Precision::Int8};

HostTensor make(const std::vector<double> &values,
                std::vector<int64_t> shape = {},
                ElementType type = ElementType::F32) {
  if (shape.empty())
    shape = {int64_t(values.size())};
  HostTensor tensor(type, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i)
    tensor.setFromDouble(int64_t(i), values[i]);
  return tensor;
}

std::vector<double> normal(size_t count, unsigned seed, double deviation = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> draw(0, deviation);
  std::vector<double> values(count);
  for (double &value : values)
    value = draw(random);
  return values;
}

/// Sums of a few waves: neighbours are alike, as in a picture.
std::vector<double> smoothMap(size_t rows, size_t columns) {
  std::vector<double> values;
  for (size_t y = 0; y < rows; ++y)
    for (size_t x = 0; x < columns; ++x)
      values.push_back(std::sin(double(x) / 9) + std::cos(double(y) / 7) +
                       std::sin(double(x + y) / 12));
  return values;
}

Metrics compare(const HostTensor &result, const HostTensor &reference,
                Precision precision = Precision::F32) {
  return measure(result, reference, {precision, 0, false});
}

std::vector<std::string> failuresOf(const HostTensor &result,
                                    const HostTensor &reference,
                                    Precision precision) {
  return failures(compare(result, reference, precision),
                  Limits(Subject::Output, precision));
}

/// Fails at every precision though the cosine is high; `text` is in a reason.
void expectSeen(const HostTensor &result, const HostTensor &reference,
                const std::string &text) {
  EXPECT_GE(compare(result, reference).cosine, 0.99);
  for (Precision precision : kAll) {
    std::vector<std::string> found = failuresOf(result, reference, precision);
    EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                            [&](const std::string &reason) {
                              return reason.find(text) != reason.npos;
                            }))
        << precisionName(precision) << ": no '" << text << "' in "
        << testing::PrintToString(found);
  }
}

TEST(Metrics, FiguresAreThoseOfTheFormulas) {
  Metrics m = compare(make({3, 4}), make({4, 3}));
  EXPECT_EQ(m.problem, "");
  EXPECT_NEAR(m.cosine, 24.0 / 25, 1e-12);
  EXPECT_NEAR(m.sqnrDb, 10 * std::log10(25.0 / 2), 1e-12);
  EXPECT_EQ(m.maxError, 1);
  EXPECT_EQ(m.meanError, 1);
  EXPECT_EQ(m.normRatio, 1);
  EXPECT_EQ(m.range, 1);
  Limits limits(Subject::Output, Precision::Int8);
  EXPECT_EQ(failures(m, limits).front(),
            "cosine is 0.96, must be at least 0.99");
}

TEST(Metrics, LineAndBiasAreThoseOfTheFormulas) {
  std::vector<double> reference = normal(100, 1), result;
  for (double value : reference)
    result.push_back(0.5 * value + 3);
  Metrics m = compare(make(result), make(reference));
  ASSERT_TRUE(m.line);
  EXPECT_NEAR(m.line->gain, 0.5, 1e-6);
  EXPECT_NEAR(m.line->gainError, 0, 1e-6);
  double mean = 0;
  for (size_t i = 0; i < result.size(); ++i)
    mean += (result[i] - reference[i]) / 100;
  EXPECT_NEAR(m.line->bias, mean, 1e-6);
}

TEST(Metrics, EqualTensorsKeepEveryLimit) {
  for (const std::vector<double> &values :
       {std::vector<double>{0, 0}, std::vector<double>{1, -2},
        smoothMap(16, 16), normal(256, 3)})
    for (Precision precision : kAll)
      EXPECT_EQ(failuresOf(make(values), make(values), precision),
                std::vector<std::string>());
}

TEST(Metrics, AllZerosAgainstNumbersFail) {
  for (Precision precision : kAll) {
    EXPECT_FALSE(failuresOf(make({0, 0}), make({1, 2}), precision).empty());
    EXPECT_FALSE(failuresOf(make({1, 2}), make({0, 0}), precision).empty());
  }
}

TEST(Metrics, StrictProblemsAreNamed) {
  EXPECT_EQ(compare(make({1, 2}), make({1})).problem,
            "shape is 2, the reference's is 1");
  EXPECT_EQ(compare(make({1, 2, 3, 4}, {2, 2}), make({1, 2, 3, 4})).problem,
            "shape is 2x2, the reference's is 4");
  HostTensor half = make({1}, {1}, ElementType::F16);
  EXPECT_EQ(compare(make({1}), half).problem,
            "type is f32, the reference's is f16");
  EXPECT_EQ(measure(make({1}), half, {Precision::F16, 0, true}).problem, "");
  EXPECT_EQ(compare(make({1}, {1}, ElementType::BF16), make({1})).problem, "");
}

TEST(Metrics, WithoutElementsTheSidesAreEqual) {
  EXPECT_EQ(failuresOf(make({}, {0, 4}), make({}, {0, 4}), Precision::F32),
            std::vector<std::string>());
  EXPECT_EQ(compare(make({}, {0, 4}), make({}, {0, 4})).elements, 0);
  EXPECT_FALSE(
      failuresOf(make({}, {0, 4}), make({1, 2, 3, 4}, {1, 4}), Precision::F32)
          .empty());
}

TEST(Metrics, NumbersThatAreNoneFailAndAreCounted) {
  Metrics m = compare(make({1, NAN, INFINITY}), make({1, 1, 1}));
  EXPECT_EQ(m.problem,
            "element 1 of the result is nan (2 of 3 are not finite)");
  EXPECT_EQ(m.nonFiniteResult, 2);
  EXPECT_EQ(m.nonFiniteReference, 0);
  EXPECT_EQ(compare(make({1, 1}), make({INFINITY, 1})).problem,
            "element 0 of the reference is infinite");
  // On both sides alike, too: nothing is compared.
  EXPECT_NE(compare(make({NAN, NAN}), make({NAN, NAN})).problem, "");
}

TEST(Metrics, ConstantFactorsAreSeen) {
  std::vector<double> reference = normal(1000, 5);
  for (double factor : {1.5, 1e6, 1e-20}) {
    std::vector<double> result = reference;
    for (double &value : result)
      value *= factor;
    expectSeen(make(result), make(reference), "gain is");
    expectSeen(make(result), make(reference), "sqnr is");
  }
}

TEST(Metrics, ANegatedSignalUnderALargeOffsetIsSeen) {
  std::vector<double> signal = normal(1000, 6, 8), result, reference;
  for (double value : signal) {
    reference.push_back(200 + value);
    result.push_back(200 - value);
  }
  expectSeen(make(result), make(reference), "gain is -1");
}

TEST(Metrics, OneNegatedChannelOf512IsSeen) {
  std::vector<double> reference = normal(512 * 49, 7), result = reference;
  for (size_t i = 100 * 49; i < 101 * 49; ++i)
    result[i] = -result[i];
  std::vector<int64_t> shape{1, 512, 7, 7};
  expectSeen(make(result, shape), make(reference, shape),
             "slice 100 of axis 1: gain is -1");
}

/// Boxes in pixels and scores of `classes`, an anchor a column.
std::vector<double> boxesAndScores(size_t classes = 80) {
  std::vector<double> values = normal((4 + classes) * 500, 8);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] =
        i < 4 * 500 ? 320 + 100 * values[i] : 1 / (1 + std::exp(3 - values[i]));
  return values;
}

TEST(Metrics, ScoresOfZeroBesideBoxesAreSeen) {
  for (size_t classes : {1, 2, 3, 80}) {
    std::vector<double> reference = boxesAndScores(classes), result = reference;
    std::fill(result.begin() + 4 * 500, result.end(), 0);
    std::vector<int64_t> shape{1, int64_t(4 + classes), 500};
    expectSeen(make(result, shape), make(reference, shape),
               "constant and must not be");
  }
}

TEST(Metrics, AWeakNegatedChannelOfFewIsSeen) {
  for (size_t channels : {8, 16}) {
    std::vector<double> reference = normal(channels * 200, 11);
    for (size_t i = 0; i < 200; ++i)
      reference[i] *= 0.15;
    std::vector<double> result = reference;
    for (size_t i = 0; i < 200; ++i)
      result[i] = -result[i];
    std::vector<int64_t> shape{1, int64_t(channels), 200};
    expectSeen(make(result, shape), make(reference, shape),
               "slice 0 of axis 1: gain is -1");
  }
}

TEST(Metrics, TheOffsetOfOneChannelIsSeen) {
  std::vector<double> reference = normal(512 * 49, 12), result;
  for (double &value : reference)
    value += 5;
  result = reference;
  for (size_t i = 100 * 49; i < 101 * 49; ++i)
    result[i] += 2;
  std::vector<int64_t> shape{1, 512, 7, 7};
  expectSeen(make(result, shape), make(reference, shape),
             "slice 100 of axis 1: bias");
}

TEST(Metrics, ExchangedSmallChannelsUnderAnOffsetAreSeen) {
  std::vector<double> reference = normal(512 * 49, 13);
  for (double &value : reference)
    value += 5;
  std::vector<double> result = reference;
  std::swap_ranges(result.begin() + 100 * 49, result.begin() + 101 * 49,
                   result.begin() + 300 * 49);
  std::vector<int64_t> shape{1, 512, 7, 7};
  expectSeen(make(result, shape), make(reference, shape), "of axis 1: sqnr");
}

TEST(Metrics, AStaleChannelThatShouldBeZeroIsSeen) {
  std::vector<double> reference = normal(512 * 49, 14), result = reference;
  std::vector<double> stale = normal(49, 15, 2);
  std::fill(reference.begin() + 100 * 49, reference.begin() + 101 * 49, 0);
  std::copy(stale.begin(), stale.end(), result.begin() + 100 * 49);
  std::vector<int64_t> shape{1, 512, 7, 7};
  expectSeen(make(result, shape), make(reference, shape),
             "slice 100 of axis 1: sqnr");
}

/// Half of the scores are masked; what is not is wrong.
TEST(Metrics, MasksHideNothing) {
  for (double mask :
       {-1e4, -3.4e38, -std::numeric_limits<double>::infinity()}) {
    std::vector<double> reference = normal(64 * 64, 16),
                        wrong = normal(64 * 64, 17);
    for (size_t row = 0; row < 64; ++row)
      for (size_t column = row + 1; column < 64; ++column)
        wrong[row * 64 + column] = reference[row * 64 + column] = mask;
    std::vector<int64_t> shape{1, 1, 64, 64};
    for (Precision precision : kAll) {
      EXPECT_EQ(
          failuresOf(make(reference, shape), make(reference, shape), precision),
          std::vector<std::string>());
      EXPECT_FALSE(
          failuresOf(make(wrong, shape), make(reference, shape), precision)
              .empty())
          << mask;
    }
    EXPECT_EQ(compare(make(wrong, shape), make(reference, shape)).setAside,
              64 * 63 / 2);
  }
}

/// Sums of probabilities differ from 1 by an ulp here and there.
TEST(Metrics, UlpsAreNoSpikes) {
  std::vector<double> reference(64, 1), result(64, 1);
  for (size_t i = 0; i < 64; ++i) {
    reference[i] += double(i % 3) * 0x1p-23;
    result[i] += double(i % 4) * 0x1p-23;
  }
  for (Precision precision : kAll)
    EXPECT_EQ(failuresOf(make(result), make(reference), precision),
              std::vector<std::string>());
}

TEST(Metrics, ExchangedScoresBesideBoxesAreSeen) {
  std::vector<double> reference = boxesAndScores(), result = reference;
  // Of a few classes: the noise of the others is known.
  for (size_t at = 10 * 500; at < 20 * 500; at += 500)
    std::reverse(result.begin() + ptrdiff_t(at),
                 result.begin() + ptrdiff_t(at) + 500);
  std::vector<int64_t> shape{1, 84, 500};
  expectSeen(make(result, shape), make(reference, shape), "of axis 1: gain is");
}

TEST(Metrics, ExchangedSmallProbabilitiesAreSeen) {
  std::vector<double> logits = normal(1000, 9, 2), reference, result;
  logits[17] = 11;
  double sum = 0;
  for (double logit : logits)
    sum += std::exp(logit);
  for (double logit : logits)
    reference.push_back(std::exp(logit) / sum);
  result = reference;
  std::reverse(result.begin() + 18, result.end());
  expectSeen(make(result, {1, 1000}), make(reference, {1, 1000}),
             "logarithms of rows");
  Metrics m = compare(make(result, {1, 1000}), make(reference, {1, 1000}));
  EXPECT_EQ(m.top1, 1);
  EXPECT_LT(m.top5, 1);
}

TEST(Metrics, AMapThatIsShiftedByAPixelIsSeen) {
  size_t rows = 40, columns = 50;
  std::vector<double> reference = smoothMap(rows, columns), result = reference;
  for (size_t y = 0; y < rows; ++y)
    for (size_t x = 0; x + 1 < columns; ++x)
      result[y * columns + x] = reference[y * columns + x + 1];
  std::vector<int64_t> shape{1, 1, int64_t(rows), int64_t(columns)};
  expectSeen(make(result, shape), make(reference, shape),
             "moved by 1 along axis 3");
}

TEST(Metrics, WrongIdsAreSeen) {
  std::vector<double> reference, result;
  for (int i = 0; i < 100; ++i) {
    reference.push_back(5000 + i);
    result.push_back(5001 + i);
  }
  for (ElementType type : {ElementType::I64, ElementType::I32})
    expectSeen(make(result, {100}, type), make(reference, {100}, type),
               "share of unequal elements is 1");
  // Above 2^53, where doubles are equal.
  HostTensor a(ElementType::I64, {1}), b(ElementType::I64, {1});
  *a.as<int64_t>() = (int64_t(1) << 60) + 1;
  *b.as<int64_t>() = int64_t(1) << 60;
  EXPECT_EQ(compare(a, b).unequal, 1);
}

TEST(Metrics, OneWrongElementIsSeen) {
  std::vector<double> reference = normal(100000, 10), result = reference;
  result[777] = 40;
  for (Precision precision : kAll)
    EXPECT_NE(testing::PrintToString(
                  failuresOf(make(result), make(reference), precision))
                  .find("error of element 777"),
              std::string::npos);
}

TEST(Metrics, ImaginaryPartsAreCompared) {
  HostTensor a(ElementType::C64, {4}), b(ElementType::C64, {4});
  for (size_t i = 0; i < 8; ++i) {
    a.as<float>()[i] = float(i);
    b.as<float>()[i] = i % 2 ? -float(i) : float(i);
  }
  EXPECT_FALSE(failuresOf(a, b, Precision::Int8).empty());
  EXPECT_TRUE(failuresOf(a, a, Precision::F32).empty());
}

/// Normal numbers, a map, boxes with scores, a feature map with a channel that
/// is nearly dead, under the noise of a precision.
TEST(Metrics, HonestNoisePasses) {
  std::vector<std::pair<std::vector<double>, std::vector<int64_t>>> tensors{
      {normal(10, 20), {1, 10}},
      {normal(512 * 49, 21), {1, 512, 7, 7}},
      {smoothMap(40, 50), {1, 1, 40, 50}},
      {boxesAndScores(), {1, 84, 500}}};
  std::vector<double> features = normal(64 * 100, 22);
  for (size_t i = 300; i < 400; ++i)
    features[i] *= 1e-3;
  tensors.push_back({features, {1, 64, 10, 10}});
  for (const auto &[reference, shape] : tensors)
    for (Precision precision : kAll) {
      double most = 0;
      for (double value : reference)
        most = std::max(most, std::fabs(value));
      // Half of a step of 8-bit codes of the whole, of a number's last place.
      std::vector<double> noise = normal(reference.size(), 23), result;
      for (size_t i = 0; i < reference.size(); ++i)
        result.push_back(reference[i] +
                         noise[i] *
                             (precision == Precision::Int8 && shape.size() != 3
                                  ? most / 254
                              : precision == Precision::F32
                                  ? std::fabs(reference[i]) * 0x1p-22
                                  : std::fabs(reference[i]) * 0x1p-10));
      EXPECT_EQ(
          failuresOf(make(result, shape), make(reference, shape), precision),
          std::vector<std::string>())
          << precisionName(precision) << " " << numeric::shapeText(shape);
    }
}

/// A mean of numbers of the size of 1 that should be zero.
TEST(ZeroFloor, RoundingErrorsAreZeros) {
  const double noise = 0x1p-11; // what rounding to f16 does to a 1
  EXPECT_TRUE(isRoundedZero(0, noise));
  EXPECT_TRUE(isRoundedZero(1e-7, noise));
  // Small numbers that are right.
  EXPECT_FALSE(isRoundedZero(1e-4, noise));
  EXPECT_FALSE(isRoundedZero(1e-4, 1e-4 * noise));
  // A tie that falls the other way moves by the size of the value.
  EXPECT_FALSE(isRoundedZero(1, 1));
  EXPECT_FALSE(isRoundedZero(1e-30, 0));
  EXPECT_LT(zeroFloor(Precision::F32, noise), 1e-5);
  EXPECT_LT(zeroFloor(Precision::F16, noise), 1e-2);
  EXPECT_LT(zeroFloor(Precision::Int8, noise), 0.1);
}

/// Under the noise of the worst honest layer of public networks, 22 dB.
TEST(Limits, AFactorOfALayerIsSeen) {
  std::vector<double> reference = normal(64 * 100, 30),
                      noise = normal(64 * 100, 31, 0.08);
  for (double factor : {1.0, 1.1, 0.93}) {
    std::vector<double> result;
    for (size_t i = 0; i < reference.size(); ++i)
      result.push_back(factor * (reference[i] + noise[i]));
    Metrics m = compare(make(result, {1, 64, 10, 10}),
                        make(reference, {1, 64, 10, 10}), Precision::Int8);
    EXPECT_EQ(failures(m, Limits(Subject::Layer, Precision::Int8)).empty(),
              factor == 1)
        << factor;
  }
}

TEST(Limits, KeysFindTheirRows) {
  for (size_t i = 0; i < kLimits; ++i)
    EXPECT_EQ(findLimit(rowOf(Limit(i)).key), Limit(i));
  EXPECT_EQ(findLimit("speed"), std::nullopt);
  EXPECT_FALSE(
      Limits(Subject::Output, Precision::F32).keeps(Limit::Cosine, NAN));
  EXPECT_FALSE(Limits(Subject::Output, Precision::F32).keeps(Limit::Gain, NAN));
}

TEST(Metrics, masks_that_a_type_does_not_have_are_infinities) {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> reference = normal(32, 3), result;
  reference[5] = -3.4e38;
  result = reference;
  result[5] = -infinity;
  Kind kind{Precision::F16, 0, /*anyType=*/true, /*mostStored=*/65504};
  Metrics masked = measure(make(result), make(reference), kind);
  EXPECT_EQ(masked.problem, "");
  EXPECT_EQ(masked.setAside, 1);
  // Of the other sign, of a number that the type has, and of an output.
  result[5] = infinity;
  EXPECT_NE(measure(make(result), make(reference), kind).problem, "");
  result[5] = -infinity;
  EXPECT_NE(measure(make(result), make(reference), {Precision::F16}).problem,
            "");
  reference[5] = -6e4;
  EXPECT_NE(measure(make(result), make(reference), kind).problem, "");
  // Not far beyond the others.
  for (double &value : reference)
    value = 3e4;
  result = reference;
  reference[5] = 1e5;
  result[5] = infinity;
  EXPECT_NE(measure(make(result), make(reference), kind).problem, "");
}

TEST(ZeroFloor, goes_by_the_range_of_a_function) {
  EXPECT_EQ(referenceFloor(1), 0x1p-21);
  EXPECT_EQ(rangeFloor(Precision::Int8, 2), 0x1p-7);
  EXPECT_LT(rangeFloor(Precision::F32, 1), referenceFloor(1));
}

} // namespace
