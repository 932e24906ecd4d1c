//===- TouchedTest.cpp - which bytes commands touch -----------------------===//

#include "codegen/encode/Touched.h"

#include "codegen/encode/Command.h"
#include "runtime/chips/Chips.h"
#include "tests/unit/runtime/transfer/RandomTransfers.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::codegen;

static const Chip &chip = chips::bm1684x;
static constexpr int64_t kBundle = 8; // lanes that are not told apart

/// Whether `touched` has all bytes of element (n, c, h, w) of `side`.
static bool covers(const std::vector<TouchedBytes> &touched,
                   const transfer::Place &place, const cycles::DmaBox &side,
                   const std::array<uint64_t, 4> &at, unsigned bytes) {
  uint64_t lane = place.lane + at[1],
           channel = place.isLocal ? lane / chip.lanes : at[1],
           begin = uint64_t(place.address) +
                   (at[0] * side.nStride + channel * side.cStride +
                    at[2] * side.hStride + at[3] * side.wStride) *
                       bytes;
  if (place.isLocal)
    begin += lane % chip.lanes / kBundle * chip.laneBytes;
  auto memory =
      place.isLocal ? catalog::Memory::Local : catalog::Memory::Global;
  return std::any_of(
      touched.begin(), touched.end(), [&](const TouchedBytes &one) {
        return one.memory == memory && one.range.begin <= begin &&
               begin + bytes <= one.range.end;
      });
}

static Command commandOf(const transfer::Command &planned) {
  Command command(nullptr, *transfer::build(planned, chip));
  command.piece = planned;
  return command;
}

TEST(Touched, HasEveryByteOfATransfer) {
  std::mt19937 random(11);
  transfer::Planner planner(chip);
  for (int i = 0; i < 2000; ++i) {
    transfer::Transfer moved = transfer::randomTransfer(random);
    transfer::Plan plan = planner.plan(moved);
    SCOPED_TRACE(describe(moved));
    for (const transfer::Command &planned : plan.commands) {
      Touched touched = touchedBy(commandOf(planned), chip);
      const cycles::DmaBox &from = planned.shape.from, &to = planned.shape.to;
      unsigned bytes = planned.shape.elementBytes;
      auto check = [&](const std::vector<TouchedBytes> &bytesOf,
                       const transfer::Place &place,
                       const cycles::DmaBox &side) {
        std::array<uint64_t, 4> at;
        for (at[0] = 0; at[0] < side.n; ++at[0])
          for (at[1] = 0; at[1] < side.c; ++at[1])
            for (at[2] = 0; at[2] < side.h; ++at[2])
              for (at[3] = 0; at[3] < side.w; ++at[3])
                if (!covers(bytesOf, place, side, at, bytes))
                  return false;
        return true;
      };
      ASSERT_TRUE(check(touched.reads, planned.from, from));
      ASSERT_TRUE(check(touched.writes, planned.to, to));
    }
  }
}

static bool meet(const std::vector<TouchedBytes> &one,
                 const std::vector<TouchedBytes> &other) {
  for (const TouchedBytes &a : one)
    for (const TouchedBytes &b : other)
      if (a.memory == b.memory && a.range.begin < b.range.end &&
          b.range.begin < a.range.end)
        return true;
  return false;
}

/// A tensor of 128 channels that fills two rounds of the lanes, in commands of
/// some lanes each: none waits for another one.
TEST(Touched, PiecesOfOtherLanesDoNotMeet) {
  transfer::Transfer load;
  load.elementBytes = 4;
  load.shape = {1, 128, 100, 76};
  load.from = {{false, 0, int64_t(0x100000000)}, {128 * 7600, 7600, 76, 1}};
  load.to = {{true, 0, 0}, {2 * 7600, 7600, 76, 1}};
  transfer::Plan plan = transfer::Planner(chip).plan(load);
  ASSERT_GT(plan.commands.size(), 4u);
  std::vector<Touched> pieces;
  for (const transfer::Command &planned : plan.commands)
    pieces.push_back(touchedBy(commandOf(planned), chip));
  for (size_t i = 0; i < pieces.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(meet(pieces[i].writes, pieces[j].writes)) << i << " " << j;
      EXPECT_FALSE(meet(pieces[i].reads, pieces[j].reads)) << i << " " << j;
    }
}

/// Slices of rows of one image in DRAM lie between one another.
TEST(Touched, RowsOfAnImageAreApart) {
  auto rows = [](int64_t first, int64_t count) {
    catalog::Tensor tensor;
    tensor.type = catalog::DataType::Fp32;
    tensor.memory = catalog::Memory::Global;
    tensor.shape = {1, 64, count, 76};
    tensor.strides = {64 * 7600, 7600, 76, 1};
    tensor.address = 0x100000000 + uint64_t(first) * 76 * 4;
    return touchedBytesOf(tensor, chip);
  };
  EXPECT_FALSE(meet(rows(0, 34), rows(34, 33)));
  EXPECT_FALSE(meet(rows(34, 33), rows(67, 33)));
  EXPECT_TRUE(meet(rows(0, 35), rows(34, 33)));
  EXPECT_EQ(rows(0, 100).size(), 1u); // without a gap
}
