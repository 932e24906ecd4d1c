//===- LocalAllocationTest.cpp - addresses by live range ------------------===//

#include "passes/tpu/LocalAllocation.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>

using namespace weft::tpu;

static std::vector<LiveRange> randomRanges(uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<LiveRange> ranges(1 + generator() % 60);
  for (LiveRange &range : ranges) {
    range.bytes = generator() % 5 == 0 ? 0 : 64 * (1 + generator() % 40);
    range.first = generator() % 50;
    range.last = range.first + generator() % 12;
  }
  return ranges;
}

TEST(Allocate, LiveRangesNeverShareAByte) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::vector<LiveRange> ranges = randomRanges(seed);
    auto addresses = allocate(ranges, 1 << 20, 64);
    ASSERT_TRUE(addresses);
    int64_t top = 0;
    for (size_t i = 0; i < ranges.size(); ++i) {
      ASSERT_EQ((*addresses)[i] % 64, 0);
      top = std::max(top, (*addresses)[i] + ranges[i].bytes);
      for (size_t j = 0; j < i; ++j) {
        bool sameTime = ranges[i].first <= ranges[j].last &&
                        ranges[j].first <= ranges[i].last;
        bool apart = (*addresses)[i] + ranges[i].bytes <= (*addresses)[j] ||
                     (*addresses)[j] + ranges[j].bytes <= (*addresses)[i];
        ASSERT_TRUE(!sameTime || apart || !ranges[i].bytes || !ranges[j].bytes)
            << "seed " << seed;
      }
    }
    ASSERT_GE(top, peakBytes(ranges));
  }
}

TEST(Allocate, RefusesWhatDoesNotFit) {
  EXPECT_FALSE(allocate({{128, 0, 3}, {128, 2, 5}}, 192, 64));
  EXPECT_TRUE(allocate({{128, 0, 1}, {128, 2, 5}}, 192, 64));
}

TEST(PeakBytes, SumsWhatLivesTogether) {
  EXPECT_EQ(peakBytes({{10, 0, 2}, {20, 2, 3}, {5, 4, 4}}), 30);
}
