/// The unary functions against MPFR and the vendor's arithmetic, on fewer
/// arguments than tests/ppl/bdc/accuracy.log, and on special ones.
#include "tests/ppl/bdc/Accuracy.h"
#include "ppl/tpu_bdc.h"
#include "runtime/numeric/BitCast.h"
#include "tests/ppl/bdc/LaneMachine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace weft::test;
using weft::numeric::floatBits;

namespace {

/// 2^18 arguments of each function, others than the log's first ones.
constexpr uint64_t kFirst = uint64_t(1) << 40, kCount = uint64_t(1) << 18;

const Function &functionNamed(const std::string &name) {
  for (const Function &function : functions())
    if (function.name == name)
      return function;
  ADD_FAILURE() << "no function " << name;
  return functions().front();
}

std::vector<float> valuesOf(const std::string &name,
                            const std::vector<float> &arguments) {
  LaneMachine machine;
  weft_ppl_bind(&machine.recorder());
  const Places places;
  std::memcpy(machine.floats(places.src), arguments.data(),
              arguments.size() * 4);
  functionNamed(name).record(places, {1, 1, 1, int(arguments.size())});
  weft_ppl_bind(nullptr);
  EXPECT_TRUE(machine.errors.empty());
  const float *values = machine.floats(places.dst);
  return {values, values + arguments.size()};
}

/// Bit for bit, but that one NaN is as good as another.
void expectValues(const std::string &name, const std::vector<float> &arguments,
                  const std::vector<float> &wanted) {
  std::vector<float> values = valuesOf(name, arguments);
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_TRUE(std::isnan(wanted[i])
                    ? std::isnan(values[i])
                    : floatBits(values[i]) == floatBits(wanted[i]))
        << name << " of " << arguments[i] << " is " << values[i] << ", not "
        << wanted[i];
}

class BdcAccuracy : public testing::TestWithParam<size_t> {};

const float kInf = INFINITY, kNaN = NAN, kTiny = 1e-40f;

} // namespace

TEST_P(BdcAccuracy, IsWithinItsBoundAndNotBehindTheVendor) {
  const Function &function = functions()[GetParam()];
  std::vector<RangeErrors> ranges = measure(function, kFirst, kCount);
  ASSERT_FALSE(ranges.empty());
  const RangeErrors &all = ranges.back();
  // Infinite errors say nothing against each other: they are counted.
  EXPECT_LE(all.ours.lost, all.vendor.lost);
  if (all.ours.lost == all.vendor.lost) {
    EXPECT_LE(all.ours.mostFinite, all.vendor.mostFinite);
    EXPECT_LE(all.ours.sumFinite, all.vendor.sumFinite);
  }
  EXPECT_GE(all.ours.rounded, all.vendor.rounded);
  for (size_t i = 0; i + 1 < ranges.size(); ++i) {
    const RangeErrors &range = ranges[i];
    const float least = std::min(std::fabs(range.low), std::fabs(range.high)),
                most = std::max(std::fabs(range.low), std::fabs(range.high));
    if (most <= function.boundedFrom || least >= function.boundedUpTo)
      continue;
    EXPECT_LE(range.ours.most, function.bound)
        << "of " << range.ours.worst << " in " << range.low << " to "
        << range.high;
  }
}

TEST(BdcErrors, InfinitiesOfTheWrongSignAreLost) {
  Errors errors;
  errors.add(1, kInf, 1e39);
  errors.add(1, -kInf, -1e39);
  errors.add(1, 2, 2);
  EXPECT_EQ(errors.lost, 0);
  EXPECT_EQ(errors.most, 0);
  EXPECT_EQ(errors.rounded, 3);
  errors.add(1, -kInf, 1e39);
  errors.add(2, kInf, -1e39);
  errors.add(3, kInf, 1);
  errors.add(4, kNaN, 1);
  errors.add(5, kNaN, 1e39);
  EXPECT_EQ(errors.lost, 5);
  EXPECT_EQ(errors.most, HUGE_VAL);
  EXPECT_EQ(errors.rounded, 3);
  EXPECT_EQ(errors.mostFinite, 0);
  errors.add(6, 1 + 0x1p-22f, 1);
  EXPECT_EQ(errors.mostFinite, 2);
  EXPECT_EQ(errors.sumFinite, 2);
}

INSTANTIATE_TEST_SUITE_P(Functions, BdcAccuracy,
                         testing::Range(size_t(0), functions().size()),
                         [](const auto &info) {
                           std::string name = functions()[info.param].name;
                           for (char &c : name)
                             c = std::isalnum(c) ? c : '_';
                           return name;
                         });

TEST(BdcSpecialValues, ReciprocalAndRoots) {
  for (const char *steps : {"1", "2", "3", "4"}) {
    const std::string by = std::string(", num_iter ") + steps;
    expectValues("fp32_tunable_reciprocal" + by,
                 {0.0f, -0.0f, kInf, -kInf, kNaN, kTiny, 0x1p127f},
                 {kInf, -kInf, 0.0f, -0.0f, kNaN, kInf, 0.0f});
    expectValues("fp32_tunable_rsqrt" + by,
                 {0.0f, -0.0f, kTiny, -1.0f, kInf, -kInf, kNaN},
                 {kInf, kInf, kInf, kNaN, 0.0f, kNaN, kNaN});
    expectValues("fp32_tunable_sqrt" + by,
                 {0.0f, -0.0f, kTiny, -1.0f, kInf, -kInf, kNaN},
                 {0.0f, -0.0f, 0.0f, kNaN, kInf, kNaN, kNaN});
  }
}

TEST(BdcSpecialValues, Exponentials) {
  const float most = valuesOf("fp32_exp", {88.0f})[0];
  EXPECT_EQ(floatBits(most), 0x7ef882b7u);
  expectValues(
      "fp32_exp",
      {0.0f, -0.0f, kTiny, 100.0f, 3e38f, kInf, -103.0f, -200.0f, -kInf, kNaN},
      {1, 1, 1, most, most, most, 0, 0, 0, kNaN});
  expectValues(
      "fp32_expm1",
      {0.0f, 0x1p-126f, -1e-20f, 1e-8f, 100.0f, kInf, -30.0f, -kInf, kNaN},
      {0, 0x1p-126f, -1e-20f, 1e-8f, most, most, -1, -1, kNaN});
}

TEST(BdcSpecialValues, Logarithms) {
  const float top = float(std::log(3.4028234663852886e38));
  expectValues("fp32_log",
               {0.0f, -0.0f, kTiny, -kTiny, -1.0f, -kInf, kInf, kNaN, 1.0f,
                3.4028234663852886e38f},
               {-kInf, -kInf, -kInf, -kInf, kNaN, kNaN, kInf, kNaN, 0, top});
  expectValues("fp32_log1p",
               {0.0f, kTiny, 0x1p-126f, -1e-30f, -1.0f, -1.5f, -kInf, kInf,
                kNaN, 3.4028234663852886e38f},
               {0, 0, 0x1p-126f, -1e-30f, -kInf, kNaN, kNaN, kInf, kNaN, top});
  // Powers of the base are exact.
  std::vector<float> powers, exponents;
  for (int k = -126; k < 128; ++k) {
    powers.push_back(std::ldexp(1.0f, k));
    exponents.push_back(float(k));
  }
  expectValues("fp32_logx, x = 2", powers, exponents);
  for (float &k : exponents)
    k = k ? -k : 0;
  expectValues("fp32_logx, x = 0.5", powers, exponents);
  expectValues("fp32_logx, x = 10",
               {1, 10, 100, 1000, 1e4f, 1e5f, 1e6f, 1e7f, 1e8f, 1e9f, 1e10f},
               {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
}

TEST(BdcSpecialValues, CircularFunctions) {
  expectValues("fp32_sin", {0.0f, 0x1p-126f, -1e-30f, kInf, kNaN},
               {0, 0x1p-126f, -1e-30f, kNaN, kNaN});
  expectValues("fp32_cos", {0.0f, -0.0f, 1e-30f, -kInf, kNaN},
               {1, 1, 1, kNaN, kNaN});
  expectValues("fp32_tan", {0.0f, 0x1p-126f, -1e-30f, kInf, kNaN},
               {0, 0x1p-126f, -1e-30f, kNaN, kNaN});
  expectValues("fp32_cot", {0.0f, 0x1p-126f, -0x1p-100f, kInf, kNaN},
               {kInf, 0x1p126f, -0x1p100f, kNaN, kNaN});
  expectValues(
      "fp32_arcsin",
      {0.0f, 0x1p-126f, -1e-30f, 1.0f, -1.0f, 0x1.000002p0f, -2.0f, kInf, kNaN},
      {0, 0x1p-126f, -1e-30f, 0x1.921fb6p0f, -0x1.921fb6p0f, kNaN, kNaN, kNaN,
       kNaN});
  expectValues(
      "fp32_arccos",
      {0.0f, 1e-30f, 1.0f, -1.0f, -0x1.000002p0f, 2.0f, -kInf, kNaN},
      {0x1.921fb6p0f, 0x1.921fb6p0f, 0, 0x1.921fb6p1f, kNaN, kNaN, kNaN, kNaN});
  // Angles that say nothing.
  expectValues("fp32_sin", {1e9f, -1e20f, 3e38f}, {0, 0, 0});
  expectValues("fp32_cos", {1e9f, -1e20f, 3e38f}, {1, 1, 1});
  expectValues("fp32_tan", {1e9f, -1e20f, 3e38f}, {0, 0, 0});
  for (float value : valuesOf("fp32_cot", {1e9f, -1e20f, 3e38f}))
    EXPECT_LT(std::fabs(value), 1e-7f);
}
