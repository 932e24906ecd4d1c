#include "runtime/emulator/Workers.h"

#include <gtest/gtest.h>
#include <vector>

using namespace weft::emulator;

TEST(Workers, everyItemRunsOnce) {
  for (unsigned threads : {1u, 2u, 5u}) {
    Workers workers(threads);
    EXPECT_EQ(workers.count(), threads);
    for (size_t items : {0, 1, 2, 3, 1000}) {
      std::vector<int> runs(items);
      bool isKnown = true;
      workers.forEach(items, [&](size_t item, unsigned worker) {
        ++runs[item];
        isKnown = isKnown && worker < threads;
      });
      for (int count : runs)
        ASSERT_EQ(count, 1);
      EXPECT_TRUE(isKnown);
    }
  }
}

TEST(Workers, jobsFollowEachOther) {
  Workers workers(3);
  std::vector<size_t> sums(64);
  for (size_t round = 1; round <= 2000; ++round)
    workers.forEach(sums.size(),
                    [&](size_t item, unsigned) { sums[item] += round; });
  for (size_t sum : sums)
    EXPECT_EQ(sum, 2000u * 2001 / 2);
}

TEST(Workers, scratchIsAlignedAndApart) {
  Workers workers(3);
  workers.reserveScratch(100);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(reinterpret_cast<size_t>(workers.scratch(i)) % 64, 0u);
    if (i) {
      EXPECT_GE(workers.scratch(i) - workers.scratch(i - 1), 100);
    }
  }
}
