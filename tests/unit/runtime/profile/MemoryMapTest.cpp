#include "runtime/profile/MemoryMap.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::profile;

namespace {

isa::Access access(bool isWrite, uint64_t begin, uint64_t end) {
  isa::Access made;
  made.isWrite = isWrite;
  made.begin = begin;
  made.end = end;
  made.lanes = 1;
  return made;
}
isa::Access read(uint64_t begin, uint64_t end) {
  return access(false, begin, end);
}
isa::Access write(uint64_t begin, uint64_t end) {
  return access(true, begin, end);
}
Span span(uint64_t start, uint64_t end) {
  Span made;
  made.start = start;
  made.end = end;
  return made;
}

/// begin, end, from, to, writer, isRead; in order of address, then time.
using Row = std::tuple<uint32_t, uint32_t, uint64_t, uint64_t, uint32_t, bool>;
std::vector<Row> rows(LiveRanges &live) {
  std::vector<Row> all;
  for (const LiveRange &range : live.finish())
    all.emplace_back(range.begin, range.end, range.from, range.to, range.writer,
                     range.isRead);
  std::sort(all.begin(), all.end());
  return all;
}
using Rows = std::vector<Row>;

TEST(MemoryMap, a_value_lives_from_its_write_to_its_last_read) {
  LiveRanges live;
  live.add(0, span(0, 10), {write(0, 64)});
  live.add(1, span(20, 30), {read(0, 64), write(128, 192)});
  live.add(2, span(40, 45), {read(0, 64)});
  EXPECT_EQ(rows(live),
            (Rows{{0, 64, 0, 45, 0, true}, {128, 192, 20, 30, 1, false}}));
}

TEST(MemoryMap, a_write_ends_what_was_there) {
  LiveRanges live;
  live.add(0, span(0, 10), {write(0, 100)});
  live.add(1, span(10, 20), {read(0, 100)});
  live.add(2, span(30, 40), {write(40, 60)});
  live.add(3, span(50, 60), {read(0, 100)});
  EXPECT_EQ(rows(live), (Rows{{0, 40, 0, 60, 0, true},
                              {40, 60, 0, 20, 0, true},
                              {40, 60, 30, 60, 2, true},
                              {60, 100, 0, 60, 0, true}}));
}

TEST(MemoryMap, in_place_the_new_value_follows_the_old_one) {
  LiveRanges live;
  live.add(0, span(0, 10), {write(0, 64)});
  live.add(1, span(10, 20), {read(0, 64), write(0, 64)});
  EXPECT_EQ(rows(live),
            (Rows{{0, 64, 0, 10, 0, true}, {0, 64, 10, 20, 1, false}}));
}

TEST(MemoryMap, pieces_that_die_together_are_one_range) {
  LiveRanges live;
  live.add(0, span(0, 10), {write(0, 96)});
  live.add(1, span(10, 20), {read(0, 32)});
  live.add(2, span(20, 30), {read(64, 96)});
  live.add(3, span(30, 40), {read(0, 96)});
  EXPECT_EQ(rows(live), (Rows{{0, 96, 0, 40, 0, true}}));
}

TEST(MemoryMap, other_memories_do_not_count) {
  LiveRanges live;
  isa::Access global = write(0x100000000, 0x100000040);
  global.memory = isa::Memory::Global;
  live.add(0, span(0, 10), {global});
  EXPECT_TRUE(rows(live).empty());
}

TEST(MemoryMap, occupancy_by_bank) {
  // Two banks of 100 bytes, 20 cycles: 100 bytes for 10 cycles across the
  // border, then 40 bytes of bank 1 for 20 cycles.
  std::vector<LiveRange> ranges = {{50, 150, 0, 10, 0, true},
                                   {150, 190, 0, 20, 1, true},
                                   {0, 30, 10, 20, 2, true}};
  MemoryUse use = occupancyOf(ranges, 2, 100, 20);
  EXPECT_EQ(use.whole.peakBytes, 140u);
  EXPECT_EQ(use.banks[0].peakBytes, 50u); // not 80: one dies as one is born
  EXPECT_EQ(use.banks[1].peakBytes, 90u);
  EXPECT_DOUBLE_EQ(use.banks[0].meanBytes, 40); // 25 + 15
  EXPECT_DOUBLE_EQ(use.banks[1].meanBytes, 65); // 25 + 40
  EXPECT_DOUBLE_EQ(use.whole.meanBytes, 105);
}

TEST(MemoryMap, nothing_happens_in_no_time) {
  MemoryUse use = occupancyOf({}, 16, 16384, 0);
  EXPECT_EQ(use.whole.peakBytes, 0u);
  EXPECT_EQ(use.banks.size(), 16u);
}

} // namespace
