#include "tools/weft/RepeatedRuns.h"

#include <atomic>
#include <cmath>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::cli;
using numeric::ElementType;
using numeric::HostTensor;
using Outputs = std::vector<HostTensor>;

namespace {

Outputs numbers(float last) {
  HostTensor tensor(ElementType::F32, {2, 2});
  tensor.as<float>()[0] = std::nanf("");
  tensor.as<float>()[3] = last;
  return {tensor};
}

} // namespace

TEST(RepeatedRuns, EachSessionRunsAsOftenAndOnceBefore) {
  for (size_t sessions : {1, 3}) {
    std::vector<std::atomic<int>> runs(sessions);
    std::vector<RunOnce> all;
    for (size_t i = 0; i < sessions; ++i)
      all.push_back([&runs, i]() -> rt::Result<Outputs> {
        ++runs[i];
        return numbers(1);
      });
    rt::Result<RunTimes> times = repeatRuns(all, 5, {"y"}, numbers(1));
    ASSERT_TRUE(times.isOk());
    EXPECT_EQ(times->difference, ""); // a NaN is the same NaN
    EXPECT_EQ(times->seconds.size(), 5 * sessions);
    for (const std::atomic<int> &count : runs)
      EXPECT_EQ(count, sessions == 1 ? 5 : 6);
    EXPECT_LE(times->least(), times->median());
    EXPECT_LE(times->median(), times->most());
    EXPECT_LE(times->most(), times->elapsed);
    EXPECT_GT(times->perSecond(), 0);
  }
}

TEST(RepeatedRuns, TheMedianIsTheMiddle) {
  RunTimes times;
  times.seconds = {5, 1, 2};
  EXPECT_EQ(times.median(), 2);
  times.seconds = {5, 1, 2, 4};
  EXPECT_EQ(times.median(), 3);
}

TEST(RepeatedRuns, OtherOutputsEndTheRunsAndAreNamed) {
  int runs = 0;
  RunOnce drifts = [&]() -> rt::Result<Outputs> {
    return numbers(++runs == 3 ? 0.1f : 1);
  };
  rt::Result<RunTimes> times = repeatRuns({drifts}, 100, {"y"}, numbers(1));
  ASSERT_TRUE(times.isOk());
  EXPECT_EQ(times->difference, "run 3 of session 1: output 'y' is 0.1 at "
                               "[1, 1], the first run gave 1");
  EXPECT_EQ(runs, 3);
  RunOnce grows = []() -> rt::Result<Outputs> {
    return Outputs{HostTensor(ElementType::F32, {3})};
  };
  times = repeatRuns({grows}, 1, {"y"}, numbers(1));
  ASSERT_TRUE(times.isOk());
  EXPECT_EQ(times->difference, "run 1 of session 1: output 'y' is 3, the first "
                               "run gave 2x2");
}

TEST(RepeatedRuns, AFailureEndsTheRuns) {
  RunOnce fails = []() -> rt::Result<Outputs> {
    return rt::fail(rt::Code::Timeout, "too slow");
  };
  RunOnce runs = []() -> rt::Result<Outputs> { return numbers(1); };
  rt::Result<RunTimes> times =
      repeatRuns({runs, fails}, 1000000, {"y"}, numbers(1));
  ASSERT_FALSE(times.isOk());
  EXPECT_EQ(times.status().message(), "too slow");
}
