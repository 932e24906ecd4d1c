#include "runtime/ascend/Cost.h"
#include "runtime/chips/Chips.h"
#include "tests/unit/runtime/ascend/Loop.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::ascend;
using namespace weft::ascend::test;

static const CubeMemory &a2() { return chips::ascend_a2.cube; }

TEST(Cost, NumbersOfTheMachine) {
  EXPECT_EQ(a2().l1Bytes, 524288u);
  EXPECT_EQ(a2().readBytes, 32u);
  EXPECT_EQ(a2().burstBytes, 256u);
  EXPECT_EQ(a2().cyclesPerSecond, 1850000000u);
  // 24 cores stay below the published 1.6 TB/s of a chip.
  EXPECT_LT(24.0 * a2().readBytes * double(a2().cyclesPerSecond), 1.6e12);
}

TEST(Cost, OneLongRunIsReadInWholeBursts) {
  Nd2Nz m = move(2, 1, 64, 128, 0, 128, 64, 1, 0); // 16 KiB
  MoveCost cost = costOf(m, a2());
  EXPECT_EQ(cost.bursts, 64);
  EXPECT_EQ(cost.readCycles, 512);
  EXPECT_EQ(cost.writeCycles, 128);
  EXPECT_EQ(cost.rowCycles, 64);
  EXPECT_EQ(cost.cycles, 57 + 512);
  EXPECT_EQ(cost.usefulBytes, 16384);
  // "Near the peak" from 16 KiB on, as the vendor's guide says.
  EXPECT_NEAR(bandwidthShare(16384, cost.cycles, a2()), 0.9, 0.005);
  m.src = 32; // one burst more
  EXPECT_EQ(costOf(m, a2()).bursts, 65);
}

TEST(Cost, MisalignedRowsReadMore) {
  // Rows of 512 bytes with gaps: aligned two bursts each, else three.
  Nd2Nz m = move(2, 1, 64, 256, 0, 384, 64, 1, 0);
  EXPECT_EQ(costOf(m, a2()).bursts, 128);
  m.src = 32;
  EXPECT_EQ(costOf(m, a2()).bursts, 192);
  double ratio = double(costOf(m, a2()).readCycles) / 1024;
  EXPECT_NEAR(1 / ratio, 0.667, 0.001); // the guide: 70 % at worst
}

TEST(Cost, ShortRowsPayForTheirBlocks) {
  // 6 useful bytes a pixel become blocks of 32.
  Nd2Nz m = move(2, 1, 4608, 3, 0, 3, 4608, 1, 0);
  MoveCost cost = costOf(m, a2());
  EXPECT_EQ(cost.bursts, 108);
  EXPECT_EQ(cost.readCycles, 864);
  EXPECT_EQ(cost.writeCycles, 1152);
  EXPECT_EQ(cost.rowCycles, 4608);
  EXPECT_EQ(cost.cycles, 57 + 4608);
}

TEST(Cost, NothingCostsNothing) {
  Nd2Nz m = twoMatrices();
  m.nValue = 0;
  EXPECT_EQ(costOf(m, a2()).cycles, 0);
  EXPECT_EQ(clearCycles(0, a2()), 0);
  EXPECT_EQ(clearCycles(1280, a2()), 57 + 10);
  EXPECT_EQ(bandwidthShare(0, 0, a2()), 0);
}

TEST(Cost, RepeatedRowsAreReadAgain) {
  Nd2Nz m = move(2, 4, 1, 128, 0, 1, 1, 1, 8 * 16);
  EXPECT_EQ(costOf(m, a2()).bursts, 4);
  EXPECT_EQ(costOf(m, a2()).usefulBytes, 4 * 256);
}
