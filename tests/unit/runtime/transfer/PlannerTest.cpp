#include "RandomTransfers.h"

#include "runtime/chips/Chips.h"
#include "runtime/emulator/Emulator.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::transfer;
using cycles::DmaFunction;

namespace {
const Chip &chip = chips::bm1684x;

/// Local memory and DRAM of the chip that is tested.
class PlannerTest : public testing::Test {
protected:
  void SetUp() override {
    emulator = *emulator::Emulator::create(chip, 1);
    ASSERT_TRUE(
        emulator->mapGlobal(kGlobalBegin, dram.data(), dram.size()).isOk());
    std::mt19937 random(7);
    for (uint8_t &byte : dram)
      byte = uint8_t(random());
    for (uint8_t &byte : lanesOf(local))
      byte = uint8_t(random());
    expectedDram = dram;
    expectedLocal = local;
  }

  /// The first kLaneRoom bytes of every lane.
  static std::vector<uint8_t> &lanesOf(std::vector<uint8_t> &lanes) {
    lanes.resize(size_t(chip.lanes) * kLaneRoom);
    return lanes;
  }

  uint8_t *byteAt(std::vector<uint8_t> &lanes, std::vector<uint8_t> &memory,
                  const Side &side, const Four &at, unsigned bytes) {
    const Four &s = side.strides;
    int64_t lane = side.place.lane + at[1], round = at[1];
    if (side.place.isLocal)
      round = lane / chip.lanes;
    int64_t offset =
        side.place.address +
        (at[0] * s[0] + round * s[1] + at[2] * s[2] + at[3] * s[3]) * bytes;
    if (side.place.isLocal)
      return &lanes[lane % chip.lanes * kLaneRoom + offset];
    return &memory[offset - kGlobalBegin];
  }

  /// The copy element by element.
  void copyNaively(const Transfer &t) {
    Four at;
    for (at[0] = 0; at[0] < t.shape[0]; ++at[0])
      for (at[1] = 0; at[1] < t.shape[1]; ++at[1])
        for (at[2] = 0; at[2] < t.shape[2]; ++at[2])
          for (at[3] = 0; at[3] < t.shape[3]; ++at[3])
            std::copy_n(
                byteAt(expectedLocal, expectedDram, t.from, at, t.elementBytes),
                t.elementBytes,
                byteAt(expectedLocal, expectedDram, t.to, at, t.elementBytes));
  }

  void run(const Plan &plan) {
    for (unsigned lane = 0; lane < chip.lanes; ++lane)
      std::copy_n(&local[lane * kLaneRoom], kLaneRoom,
                  emulator->localMemory() + size_t(lane) * chip.laneBytes);
    for (const Command &command : plan.commands) {
      rt::Result<isa::CommandBuilder> made = build(command, chip);
      ASSERT_TRUE(made) << made.status().message();
      rt::Status status = emulator->execute(isa::Engine::Gdma, made->bytes(),
                                            made->sizeBytes());
      ASSERT_TRUE(status.isOk()) << status.message();
    }
    for (unsigned lane = 0; lane < chip.lanes; ++lane)
      std::copy_n(emulator->localMemory() + size_t(lane) * chip.laneBytes,
                  kLaneRoom, &local[lane * kLaneRoom]);
  }

  std::unique_ptr<emulator::Emulator> emulator;
  std::vector<uint8_t> dram = std::vector<uint8_t>(kGlobalRoom), expectedDram;
  std::vector<uint8_t> local, expectedLocal;
};
} // namespace

/// What the commands of a plan cost is what runtime/cycles says of them once
/// they are made.
static void expectPriced(const Plan &plan) {
  uint64_t cycles = 0;
  cycles::Evidence evidence = cycles::Evidence::Measured;
  for (const Command &command : plan.commands) {
    rt::Result<isa::CommandBuilder> made = build(command, chip);
    ASSERT_TRUE(made) << made.status().message();
    cycles::CommandCost cost = cycles::estimate(made->decoded(), chip);
    cycles += cost.cycles;
    evidence = std::max(evidence, cost.evidence);
  }
  EXPECT_EQ(evidence, plan.evidence);
  EXPECT_EQ(cycles, plan.cycles);
}

TEST_F(PlannerTest, tenThousandTransfersMoveWhatACopyMoves) {
  constexpr unsigned kSeed = 20261122;
  std::mt19937 random(kSeed);
  Planner planner(chip);
  std::map<DmaFunction, unsigned> seen;
  int impossible = 0;
  for (int i = 0; i < 10000; ++i) {
    Transfer transfer = randomTransfer(random);
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", transfer " +
                 std::to_string(i) + ": " + describe(transfer));
    Plan plan = planner.plan(transfer), plain = plainPlan(transfer, chip);
    bool isPlainLegal = isLegal(plain.commands.front(), chip);
    if (plan.isEmpty()) { // nobody has a way
      ASSERT_FALSE(isPlainLegal);
      ++impossible;
      continue;
    }
    if (isPlainLegal) {
      EXPECT_LE(plan.cycles, plain.cycles);
    }
    expectPriced(plan);
    for (const Command &command : plan.commands)
      ++seen[command.shape.function];
    copyNaively(transfer);
    run(plan);
    ASSERT_EQ(dram == expectedDram, true);
    ASSERT_EQ(local == expectedLocal, true);
  }
  EXPECT_LT(impossible, 1500);
  EXPECT_GT(seen[DmaFunction::Copy], 1000u);
  EXPECT_GT(seen[DmaFunction::Matrix], 300u);
  EXPECT_GT(seen[DmaFunction::MatrixTranspose], 10u);
}

/// Plans of one transfer at two places are one plan.
TEST_F(PlannerTest, addressesDoNotChangeAPlan) {
  Planner planner(chip);
  Transfer a{4,
             {1, 64, 1, 100},
             {{false, 0, kGlobalBegin}, {6400, 100, 100, 1}},
             {{true, 0, 0}, {112, 112, 100, 1}}};
  Transfer b = a;
  b.from.place.address += 4096;
  b.to.place.address += 64;
  Plan first = planner.plan(a), second = planner.plan(b);
  ASSERT_EQ(first.commands.size(), 1u);
  ASSERT_EQ(second.commands.size(), 1u);
  EXPECT_EQ(first.cycles, second.cycles);
  EXPECT_EQ(second.commands[0].from.address,
            first.commands[0].from.address + 4096);
  EXPECT_EQ(second.commands[0].to.address, first.commands[0].to.address + 64);
}

/// 62,720 bytes that follow each other: a stride that no element uses decides
/// how many DRAM channels the plain command reaches.
TEST_F(PlannerTest, theStrideOfAnAxisOfOneElementDoesNotCost) {
  Planner planner(chip);
  Transfer copy{1,
                {1, 1, 1, 62720},
                {{false, 0, kGlobalBegin}, {1, 1, 1, 1}},
                {{false, 0, kGlobalBegin + 65536}, {1, 1, 1, 1}}};
  EXPECT_GT(plainPlan(copy, chip).cycles, 30000u);
  EXPECT_LT(planner.plan(copy).cycles, 2500u);
}

/// A form that only the vendor's library has been asked for must halve the
/// cost.
TEST_F(PlannerTest, unconfirmedFormsMustHalveTheCost) {
  Planner planner(chip);
  // Transposed matrix 27,477; tensor by measured forms 44,246.
  Transfer store{4,
                 {1, 59, 60, 2},
                 {{true, 0, 0}, {120, 120, 2, 1}},
                 {{false, 0, kGlobalBegin}, {7080, 120, 1, 60}}};
  Plan kept = planner.plan(store);
  EXPECT_EQ(kept.evidence, cycles::Evidence::Measured);
  EXPECT_LT(kept.cycles, 2 * 27477u); // else the transposed matrix halved it
  std::mt19937 random(3);
  for (int i = 0; i < 2000; ++i) {
    Transfer transfer = i ? randomTransfer(random) : store;
    Plan plan = planner.plan(transfer), plain = plainPlan(transfer, chip);
    if (plan.isEmpty() || !isLegal(plain.commands.front(), chip))
      continue;
    if (plan.evidence > plain.evidence) {
      EXPECT_LT(plan.cycles * 2, plain.cycles) << describe(transfer);
    }
    EXPECT_NE(plan.evidence, cycles::Evidence::Kin);
  }
}

/// What the vendor's streams load as a matrix is loaded as a matrix.
TEST_F(PlannerTest, channelsThatFollowEachOtherAreOneMatrix) {
  Planner planner(chip);
  Transfer load{4,
                {1, 64, 12, 36},
                {{false, 0, kGlobalBegin}, {27648, 432, 36, 1}},
                {{true, 0, 0}, {432, 432, 36, 1}}};
  Plan plan = planner.plan(load);
  ASSERT_EQ(plan.commands.size(), 1u);
  EXPECT_EQ(plan.commands[0].shape.function, DmaFunction::Matrix);
  EXPECT_EQ(plan.cycles, 1906u); // the figure of ppocr_cls, 110592 bytes
  EXPECT_EQ(plan.evidence, cycles::Evidence::Measured);
}

/// The vendor's emulator counts the whole step of a matrix's last row.
TEST_F(PlannerTest, noMatrixLeavesTheLanes) {
  Planner planner(chip);
  auto functionFrom = [&](int64_t address) {
    Transfer store{4,
                   {2, 5, 1, 12000},
                   {{true, 0, address}, {15360, 12000, 12000, 1}},
                   {{false, 0, kGlobalBegin}, {768000, 12000, 12000, 1}}};
    Plan plan = planner.plan(store);
    return plan.isEmpty() ? DmaFunction::Copy : plan.commands[0].shape.function;
  };
  int64_t rows = 2 * 15360 * 4;
  EXPECT_EQ(functionFrom(chip.laneBytes - rows), DmaFunction::Matrix);
  EXPECT_EQ(functionFrom(chip.laneBytes - rows + 64), DmaFunction::Copy);
  EXPECT_EQ(functionFrom(0), DmaFunction::Matrix);
}
