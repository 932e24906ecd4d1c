#include "tools/weft/Comparison.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace weft;
using cli::compareTensors;
using cli::Comparison;
using cli::failureReason;
using cli::Thresholds;
using numeric::ElementType;
using numeric::HostTensor;

namespace {

HostTensor make(const std::vector<double> &values,
                ElementType type = ElementType::F32) {
  HostTensor tensor(type, {int64_t(values.size())});
  for (size_t i = 0; i < values.size(); ++i)
    tensor.setFromDouble(int64_t(i), values[i]);
  return tensor;
}

TEST(Comparison, FiguresAreThoseOfTheFormulas) {
  Comparison c = compareTensors(make({3, 4}), make({4, 3}), false);
  EXPECT_EQ(c.problem, "");
  EXPECT_NEAR(c.cosine, 24.0 / 25, 1e-12);
  EXPECT_NEAR(c.sqnrDb, 10 * std::log10(25.0 / 2), 1e-12);
  EXPECT_EQ(c.maxError, 1);
  EXPECT_EQ(c.meanError, 1);
  EXPECT_EQ(failureReason(c, {}), "cosine is 0.96, must be at least 0.99");
}

TEST(Comparison, EqualTensorsPassEveryThreshold) {
  for (const std::vector<double> &values :
       {std::vector<double>{0, 0}, std::vector<double>{1, -2}}) {
    Comparison c = compareTensors(make(values), make(values), false);
    EXPECT_EQ(failureReason(c, Thresholds{1, 1000}), "");
  }
}

TEST(Comparison, AllZerosAgainstValuesFail) {
  EXPECT_NE(failureReason(compareTensors(make({0, 0}), make({1, 2}), false),
                          Thresholds{0.1, {}}),
            "");
  EXPECT_NE(failureReason(compareTensors(make({1, 2}), make({0, 0}), false),
                          Thresholds{0.1, {}}),
            "");
}

TEST(Comparison, SqnrCanFailWhereCosineCannot) {
  // Twice the value has the same direction.
  Comparison c = compareTensors(make({2, 4}), make({1, 2}), false);
  EXPECT_EQ(failureReason(c, {}), "");
  EXPECT_EQ(failureReason(c, Thresholds{0.99, 20}),
            "sqnr is 0 dB, must be at least 20 dB");
}

TEST(Comparison, StrictProblemsAreNamed) {
  EXPECT_EQ(compareTensors(make({1, 2}), make({1}), false).problem,
            "shape is 2, the reference's is 1");
  EXPECT_EQ(
      compareTensors(make({1}), make({1}, ElementType::F16), false).problem,
      "type is f32, the reference's is f16");
  EXPECT_EQ(
      compareTensors(make({1}), make({1}, ElementType::F16), true).problem, "");
  EXPECT_EQ(
      compareTensors(make({1}, ElementType::BF16), make({1}), false).problem,
      "");
  EXPECT_EQ(compareTensors(make({}), make({}), false).problem,
            "there are no elements");
  EXPECT_EQ(compareTensors(make({1, NAN}), make({1, 1}), false).problem,
            "element 1 of the result is nan");
  EXPECT_EQ(compareTensors(make({1, 1}), make({INFINITY, 1}), false).problem,
            "element 0 of the reference is infinite");
}

} // namespace
