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

/// True if ranges that share a step share no byte.
static bool areApart(const std::vector<LiveRange> &ranges,
                     const std::vector<int64_t> &addresses) {
  for (size_t i = 0; i < ranges.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (ranges[i].bytes && ranges[j].bytes &&
          ranges[i].first <= ranges[j].last &&
          ranges[j].first <= ranges[i].last &&
          addresses[i] < addresses[j] + ranges[j].bytes &&
          addresses[j] < addresses[i] + ranges[i].bytes)
        return false;
  return true;
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
    }
    ASSERT_TRUE(areApart(ranges, *addresses)) << "seed " << seed;
    ASSERT_GE(top, peakBytes(ranges));
  }
}

TEST(Allocate, RefusesWhatDoesNotFit) {
  EXPECT_FALSE(allocate({{128, 0, 3}, {128, 2, 5}}, 192, 64));
  EXPECT_TRUE(allocate({{128, 0, 1}, {128, 2, 5}}, 192, 64));
}

TEST(AllocateAhead, LoadsBeginAsSoonAsThereIsRoom) {
  // A result of steps 0 to 5 and three constants; the third takes the place of
  // the first, which step 1 read last.
  std::vector<LiveRange> ranges{
      {128, 0, 5}, {128, 1, 1}, {64, 3, 3}, {128, 5, 5}};
  auto addresses = allocateAhead(ranges, {1, 2, 3}, 0, 320, 64);
  ASSERT_TRUE(addresses);
  EXPECT_EQ(ranges[1].first, 0);
  EXPECT_EQ(ranges[2].first, 0);
  EXPECT_EQ(ranges[3].first, 2);
  EXPECT_EQ((*addresses)[3], (*addresses)[1]);
}

TEST(AllocateAhead, KeepsRoomForLoadsBetweenTheOthers) {
  // Side by side at the bottom, the others would leave no 128 bytes at step 1.
  std::vector<LiveRange> ranges{{64, 0, 0}, {64, 0, 2}, {128, 1, 1}};
  auto addresses = allocateAhead(ranges, {2}, 0, 192, 64);
  ASSERT_TRUE(addresses);
  EXPECT_EQ(ranges[2].first, 1);
}

TEST(AllocateAhead, NeverSharesAByteAndFitsWhatFitsWithout) {
  size_t placed = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::vector<LiveRange> ranges = randomRanges(seed), before = ranges;
    std::vector<size_t> loads;
    for (size_t i = 0; i < ranges.size(); i += 2)
      loads.push_back(i);
    int64_t capacity = 64 * 200;
    auto addresses = allocateAhead(ranges, loads, 0, capacity, 64);
    ASSERT_TRUE(addresses || !allocate(before, capacity, 64)) << seed;
    if (!addresses)
      continue;
    ++placed;
    ASSERT_TRUE(areApart(ranges, *addresses)) << "seed " << seed;
    for (size_t i = 0; i < ranges.size(); ++i) {
      ASSERT_EQ((*addresses)[i] % 64, 0);
      ASSERT_LE((*addresses)[i] + ranges[i].bytes, capacity);
      ASSERT_LE(ranges[i].first, before[i].first);
      ASSERT_TRUE(i % 2 == 0 || ranges[i].first == before[i].first);
    }
  }
  EXPECT_GT(placed, 100u);
}

TEST(AllocateAhead, LoadsBeginInThePeriodBefore) {
  // A result of steps 1 to 3, what step 0 reads in its place and so comes again
  // when it has been read, and what step 3 reads in a place of its own.
  std::vector<LiveRange> ranges{{128, 1, 3}, {64, 0, 0}, {64, 3, 3}};
  auto addresses = allocateAhead(ranges, {1, 2}, 5, 192, 64);
  ASSERT_TRUE(addresses);
  EXPECT_EQ(ranges[1].first, -1);
  EXPECT_EQ((*addresses)[1], (*addresses)[0]);
  EXPECT_EQ(ranges[2].first, 3 - 5 + 1);
}

TEST(AllocateAhead, PeriodsNeverShareAByte) {
  constexpr int64_t kPeriod = 62;
  size_t placed = 0, early = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::vector<LiveRange> ranges = randomRanges(seed), before = ranges;
    std::vector<size_t> loads;
    for (size_t i = 0; i < ranges.size(); i += 2)
      loads.push_back(i);
    auto addresses = allocateAhead(ranges, loads, kPeriod, 64 * 200, 64);
    if (!addresses)
      continue;
    ++placed;
    std::vector<LiveRange> all;
    std::vector<int64_t> theirs;
    for (int64_t later : {-kPeriod, int64_t(0), kPeriod})
      for (size_t i = 0; i < ranges.size(); ++i) {
        const LiveRange &range = ranges[i];
        all.push_back({range.bytes, range.first + later, range.last + later});
        theirs.push_back((*addresses)[i]);
        early += range.first < 0;
        ASSERT_TRUE(range.first <= before[i].first);
        ASSERT_TRUE(i % 2 == 0 || range.first == before[i].first);
      }
    ASSERT_TRUE(areApart(all, theirs)) << "seed " << seed;
  }
  EXPECT_GT(placed, 100u);
  EXPECT_GT(early, 100u);
}

TEST(PeakBytes, SumsWhatLivesTogether) {
  EXPECT_EQ(peakBytes({{10, 0, 2}, {20, 2, 3}, {5, 4, 4}}), 30);
}
