#include "runtime/ascend/InputPlan.h"
#include "runtime/chips/Chips.h"

#include <gtest/gtest.h>

#include <set>

using namespace weft;
using namespace weft::ascend;

static const CubeMemory &a2() { return chips::ascend_a2.cube; }

/// A core with little L1, so that small layers are cut on every axis.
static CubeMemory small(unsigned l1Bytes) {
  CubeMemory memory = a2();
  memory.l1Bytes = l1Bytes;
  return memory;
}

static void expectSound(const InputPlan &plan, const CubeMemory &memory) {
  EXPECT_EQ(differenceOf(plan, memory), "");
  int64_t quarter = (memory.l1Bytes - memory.reservedL1Bytes) / 4;
  for (const Tile &tile : plan.tiles) {
    EXPECT_LE(tile.bytes, quarter);
    EXPECT_LE(tile.address + tile.bytes,
              int64_t(memory.l1Bytes - memory.reservedL1Bytes));
    EXPECT_FALSE(tile.moves.empty());
    for (const Nd2Nz &move : tile.moves)
      EXPECT_EQ(problemOf(move, {plan.sourceBytes, int64_t(memory.l1Bytes)}),
                "");
  }
}

/// Elements of the feature map that some window covers, from the definition of
/// convolution.
static int64_t neededElements(const ConvShape &s) {
  int64_t needed = s.n * s.c;
  for (int axis = 0; axis < 3; ++axis) {
    std::set<int64_t> used;
    int64_t first = s.in[axis], last = -1;
    for (int64_t o = 0; o < s.out[axis]; ++o)
      for (int64_t k = 0; k < s.kernel[axis]; ++k) {
        int64_t at =
            o * s.strides[axis] - s.padsBegin[axis] + k * s.dilations[axis];
        if (at < 0 || at >= s.in[axis])
          continue;
        used.insert(at);
        first = std::min(first, at);
        last = std::max(last, at);
      }
    needed *= int64_t(used.size());
  }
  return needed;
}

static ConvShape conv(int64_t c, int64_t m, int64_t h, int64_t w, int64_t k,
                      int64_t stride, int64_t pad, int64_t group = 1) {
  ConvShape s;
  s.c = c;
  s.m = m;
  s.group = group;
  s.in = {1, h, w};
  s.kernel = {1, k, k};
  s.strides = {1, stride, stride};
  s.padsBegin = {0, pad, pad};
  for (int axis = 1; axis < 3; ++axis)
    s.out[axis] = (s.in[axis] + 2 * pad - k) / stride + 1;
  return s;
}

TEST(Plan, FirstLayerOfAPictureNet) {
  ConvShape s = conv(3, 8, 48, 192, 3, 2, 1);
  auto plans = planConv(s, 2, a2());
  ASSERT_TRUE(plans) << plans.status().message();
  const InputPlan &map = plans->first, &filter = plans->second;
  EXPECT_EQ(spelling(map.layout), "NC1HWC0");
  EXPECT_EQ(spelling(filter.layout), "FRACTAL_Z");
  // 48 * 192 blocks are 288 KiB: three pieces of 8 output rows.
  ASSERT_EQ(map.tiles.size(), 3u);
  EXPECT_EQ(map.tiles[0].origin, (std::vector<int64_t>{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(map.tiles[0].sizes, (std::vector<int64_t>{1, 1, 1, 16, 192, 3}));
  EXPECT_EQ(map.tiles[1].origin[3], 15); // one row is read twice
  EXPECT_EQ(map.tiles[1].sizes[3], 17);
  EXPECT_EQ(map.moveCount(), 3);
  EXPECT_EQ(map.readBytes(), (16 + 17 + 17) * 192 * 3 * 2);
  EXPECT_EQ(movedElements(map), 48 * 192 * 3);
  ASSERT_EQ(filter.tiles.size(), 1u);
  EXPECT_TRUE(filter.tiles[0].clears); // 8 of 16 output channels
  EXPECT_EQ(filter.readBytes(), 8 * 9 * 3 * 2);
  expectSound(map, a2());
  expectSound(filter, a2());
}

TEST(Plan, DepthwiseGroupsAreMatricesOfOneMove) {
  ConvShape s = conv(64, 64, 12, 48, 3, 1, 1, 64);
  auto plans = planConv(s, 2, a2());
  ASSERT_TRUE(plans) << plans.status().message();
  // A channel takes 12 * 48 blocks, 18 KiB: 7 groups a buffer at most, in equal
  // pieces of 7.
  ASSERT_EQ(plans->first.tiles.size(), 10u);
  for (const Tile &tile : plans->first.tiles)
    EXPECT_EQ(tile.moves.size(), 1u);
  EXPECT_EQ(plans->second.tiles.size(), 3u); // 4608 bytes a group
  expectSound(plans->first, a2());
  expectSound(plans->second, a2());
  EXPECT_EQ(movedElements(plans->first), 64 * 12 * 48);
  EXPECT_EQ(movedElements(plans->second), 64 * 9);
}

TEST(Plan, NarrowGroupsAreJoined) {
  ConvShape s = conv(200, 200, 2, 96, 5, 1, 2, 200);
  auto separate = planConv(s, 2, a2()),
       joined = planConv(s, 2, a2(), Groups::Joined);
  ASSERT_TRUE(separate && joined);
  EXPECT_EQ(separate->joinedGroups, 1);
  // 10 is the most that divides 200 and fits a block of 16.
  EXPECT_EQ(joined->joinedGroups, 10);
  EXPECT_EQ(joined->first.sizes, (std::vector<int64_t>{20, 1, 1, 2, 96, 10}));
  EXPECT_EQ(joined->second.sizes, (std::vector<int64_t>{20, 1, 10, 5, 5, 10}));
  EXPECT_EQ(joined->first.readBytes(), separate->first.readBytes());
  EXPECT_EQ(joined->second.readBytes(), 10 * separate->second.readBytes());
  EXPECT_LT(4 * joined->cycles(a2()), separate->cycles(a2()));
  expectSound(joined->first, a2());
  expectSound(joined->second, a2());
  // 32 elements of 8 bits are a block: 25 divides 200.
  EXPECT_EQ(planConv(s, 1, a2(), Groups::Joined)->joinedGroups, 25);
  // Groups as wide as a block stay.
  s = conv(64, 64, 8, 8, 3, 1, 1, 4);
  EXPECT_EQ(planConv(s, 2, a2(), Groups::Joined)->joinedGroups, 1);
  // 7 groups of 5 channels: two would fit a block, but 7 is prime.
  s = conv(35, 35, 8, 8, 3, 1, 1, 7);
  EXPECT_EQ(planConv(s, 2, a2(), Groups::Joined)->joinedGroups, 1);
}

TEST(Plan, EveryKindOfConvolution) {
  int64_t plansChecked = 0, tiles = 0;
  for (int64_t es : {1, 2, 4})
    for (unsigned l1 : {4224u, 20096u, 524288u})
      for (int64_t group : {1, 2, 6})
        for (int64_t k : {1, 3})
          for (int64_t stride : {1, 2, 3})
            for (int64_t pad = 0; pad < 2 * k && pad < 4; pad += 2)
              for (int64_t dilation : {1, 2}) {
                ConvShape s = conv(12, 18, 7, 10, k, stride, pad, group);
                s.n = 2;
                for (int axis = 1; axis < 3; ++axis) {
                  s.dilations[axis] = dilation;
                  s.out[axis] =
                      (s.in[axis] + 2 * pad - dilation * (k - 1) - 1) / stride +
                      1;
                }
                CubeMemory memory = small(l1);
                auto plans = planConv(s, es, memory);
                if (!plans) { // smaller than a window
                  ASSERT_EQ(l1, 4224u) << plans.status().message();
                  continue;
                }
                expectSound(plans->first, memory);
                expectSound(plans->second, memory);
                EXPECT_GE(movedElements(plans->first), neededElements(s));
                EXPECT_EQ(movedElements(plans->second),
                          18 * k * k * 12 / group);
                ++plansChecked;
                tiles += int64_t(plans->first.tiles.size() +
                                 plans->second.tiles.size());
              }
  EXPECT_GT(plansChecked, 150);
  EXPECT_GT(tiles, 5 * plansChecked);
}

TEST(Plan, OneAndThreeSpatialAxes) {
  ConvShape line = conv(20, 30, 1, 100, 3, 1, 1);
  line.kernel[1] = 1;
  line.padsBegin[1] = 0;
  line.out[1] = 1;
  ConvShape volume = conv(5, 7, 6, 6, 3, 1, 1);
  volume.in[0] = 4;
  volume.kernel[0] = 2;
  volume.out[0] = 3;
  for (const ConvShape &s : {line, volume})
    for (unsigned l1 : {8320u, 524288u}) {
      auto plans = planConv(s, 2, small(l1));
      ASSERT_TRUE(plans) << plans.status().message();
      expectSound(plans->first, small(l1));
      expectSound(plans->second, small(l1));
      EXPECT_EQ(movedElements(plans->first), neededElements(s));
    }
}

TEST(Plan, MatrixProducts) {
  for (int64_t es : {1, 2, 4})
    for (unsigned l1 : {4224u, 40064u, 524288u})
      for (int64_t m : {1, 16, 40})
        for (int64_t k : {1, 56, 130})
          for (int64_t n : {1, 33})
            for (int64_t batch : {1, 3}) {
              MatMulShape s{batch, 1, m, k, n};
              CubeMemory memory = small(l1);
              auto plans = planMatMul(s, es, memory);
              ASSERT_TRUE(plans) << plans.status().message();
              EXPECT_EQ(spelling(plans->first.layout), "NZ");
              EXPECT_EQ(spelling(plans->second.layout), es == 4 ? "ZZ" : "NZ");
              expectSound(plans->first, memory);
              expectSound(plans->second, memory);
              EXPECT_EQ(movedElements(plans->first), batch * m * k);
              EXPECT_EQ(movedElements(plans->second), k * n);
              // Both factors are cut alike along the sum, and rows of the sum
              // that are not written are zeros.
              std::set<int64_t> left, right;
              for (const Tile &tile : plans->first.tiles)
                left.insert(tile.origin[2]);
              for (const Tile &tile : plans->second.tiles) {
                right.insert(tile.origin[1]);
                EXPECT_EQ(tile.clears,
                          tile.sizes[1] % (es == 1 ? 32 : 16) != 0);
              }
              EXPECT_EQ(left, right);
            }
}

TEST(Plan, PublicMatrixOperand) { // m = 40, k = 56, f16
  auto plans = planMatMul({1, 1, 40, 56, 16}, 2, a2());
  ASSERT_TRUE(plans);
  ASSERT_EQ(plans->first.tiles.size(), 1u);
  ASSERT_EQ(plans->first.tiles[0].moves.size(), 1u);
  EXPECT_EQ(text(plans->first.tiles[0].moves[0]),
            "copy_gm_to_cbuf_multi_nd2nz_b16 dst=0x0 src=0x0 sid=0 ndNum=1 "
            "nValue=40 dValue=56 srcNdMatrixStride=0 srcDValue=56 "
            "dstNzC0Stride=48 dstNzNStride=1 dstNzMatrixStride=0");
  EXPECT_EQ(plans->first.tiles[0].bytes, 4 * 48 * 32);
}

TEST(Plan, RowsTooLongForOneMoveAreSplit) {
  auto plans = planMatMul({1, 1, 4, 80000, 2}, 2, a2());
  ASSERT_TRUE(plans) << plans.status().message();
  expectSound(plans->first, a2());
  EXPECT_EQ(movedElements(plans->first), 4 * 80000);
}

TEST(Plan, RefusesWhatDoesNotFit) {
  auto plans = planMatMul({1, 1, 4, 8, 2}, 2, small(1152));
  ASSERT_FALSE(plans);
  EXPECT_EQ(plans.status().message(),
            "unsupported: the smallest piece of the factors takes more than "
            "the 256 bytes of a buffer in L1");
  ConvShape s = conv(4, 4, 64, 64, 60, 1, 0);
  plans = planConv(s, 2, small(8320));
  ASSERT_FALSE(plans);
  EXPECT_EQ(plans.status().message(),
            "unsupported: the smallest piece of the feature map takes more "
            "than the 2048 bytes of a buffer in L1");
}

TEST(Plan, DifferencesAreFound) {
  auto plans = planConv(conv(3, 8, 8, 8, 3, 1, 1), 2, a2());
  ASSERT_TRUE(plans);
  InputPlan wrong = plans->first;
  wrong.tiles[0].moves[0].dstNzC0Stride = 65;
  wrong.tiles[0].moves[0].src += 2;
  EXPECT_NE(differenceOf(wrong, a2()), "");
  wrong = plans->first;
  wrong.tiles[0].moves[0].nValue -= 1;
  EXPECT_EQ(differenceOf(wrong, a2()),
            "tile 0 at (0, 0, 0, 0, 0, 0): byte 2016 is 165, the layout has "
            "189");
  wrong = plans->first;
  wrong.tiles[0].moves[0].dst += 32;
  EXPECT_EQ(differenceOf(wrong, a2()),
            "tile 0 at (0, 0, 0, 0, 0, 0): the blocks end at byte 2080, the "
            "buffer in L1 at byte 2048; every block must lie in L1");
}
