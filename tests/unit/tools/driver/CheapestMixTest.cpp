//===- CheapestMixTest.cpp ------------------------------------------------===//

#include "tools/driver/CheapestMix.h"

#include "gtest/gtest.h"

#include <random>

using namespace weft::driver;

/// Of all mixes: the least cycles, and of those with them the fewest floats.
static std::pair<uint64_t, size_t>
leastOf(const std::vector<OpPrices> &ops,
        const std::vector<BorderPrice> &borders) {
  std::pair<uint64_t, size_t> least{UINT64_MAX, 0};
  for (size_t mix = 0; mix < size_t(1) << ops.size(); ++mix) {
    auto isFloat = [&](size_t op) { return mix >> op & 1; };
    std::pair<uint64_t, size_t> found{0, 0};
    for (size_t op = 0; op < ops.size(); ++op) {
      found.first += isFloat(op) ? ops[op].floats : ops[op].codes;
      found.second += isFloat(op);
    }
    for (const BorderPrice &border : borders)
      if (isFloat(border.one) != isFloat(border.other))
        found.first += border.cycles;
    least = std::min(least, found);
  }
  return least;
}

static size_t floatsIn(const CheapestMix &mix) {
  return std::count(mix.isFloat.begin(), mix.isFloat.end(), true);
}

TEST(CheapestMixTest, NothingToMix) {
  CheapestMix mix = cheapestMix({}, {});
  EXPECT_EQ(mix.cycles, 0u);
  EXPECT_TRUE(mix.isFloat.empty());
}

TEST(CheapestMixTest, EachOpForItself) {
  CheapestMix mix = cheapestMix({{5, 3}, {2, 9}, {4, 4}, {0, 0}}, {});
  EXPECT_EQ(mix.isFloat, (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(mix.cycles, 3u + 2 + 4);
}

// Casts on both sides cost more than the op in the middle saves.
TEST(CheapestMixTest, ARegionMustBeWorthItsCasts) {
  std::vector<OpPrices> ops{{10, 20}, {10, 7}, {10, 20}};
  EXPECT_EQ(cheapestMix(ops, {{0, 1, 2}, {1, 2, 2}}).isFloat,
            (std::vector<bool>{false, false, false}));
  EXPECT_EQ(cheapestMix(ops, {{0, 1, 1}, {1, 2, 1}}).isFloat,
            (std::vector<bool>{false, true, false}));
}

// Two floats with a code between them that is a little faster as such.
TEST(CheapestMixTest, ANeighbourGoesAlong) {
  CheapestMix mix =
      cheapestMix({{20, 5}, {5, 6}, {20, 5}}, {{0, 1, 3}, {1, 2, 3}});
  EXPECT_EQ(mix.isFloat, (std::vector<bool>{true, true, true}));
  EXPECT_EQ(mix.cycles, 16u);
}

TEST(CheapestMixTest, LongChains) {
  std::vector<OpPrices> ops(100000, {2, 1});
  std::vector<BorderPrice> borders;
  for (size_t i = 1; i < ops.size(); ++i)
    borders.push_back({i - 1, i, 7});
  CheapestMix mix = cheapestMix(ops, borders);
  EXPECT_EQ(mix.cycles, ops.size());
  EXPECT_EQ(floatsIn(mix), ops.size());
}

TEST(CheapestMixTest, AsGoodAsTryingAll) {
  std::mt19937 random(17);
  auto upTo = [&](uint64_t most) { return random() % (most + 1); };
  for (int round = 0; round < 300; ++round) {
    std::vector<OpPrices> ops(1 + upTo(9));
    for (OpPrices &op : ops)
      op = {upTo(20), upTo(20)};
    std::vector<BorderPrice> borders(upTo(15));
    for (BorderPrice &border : borders) {
      border.one = upTo(ops.size() - 1);
      border.other = upTo(ops.size() - 1);
      border.cycles = upTo(8);
    }
    CheapestMix mix = cheapestMix(ops, borders);
    EXPECT_EQ(std::pair(mix.cycles, floatsIn(mix)), leastOf(ops, borders))
        << "round " << round;
  }
}
