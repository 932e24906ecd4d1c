#include "runtime/profile/SlowTransfers.h"

#include "runtime/chips/Chips.h"
#include "runtime/transfer/Transfer.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::profile;
using transfer::Transfer;

namespace {
const Chip &chip = chips::bm1684x;

/// Profiles of transfers as they are written, one a node.
class SlowTransfersTest : public testing::Test {
protected:
  void add(const Transfer &transfer) {
    words.push_back(*transfer::build(
        transfer::plainPlan(transfer, chip).commands[0], chip));
  }

  std::vector<SlowTransfers> list() {
    std::vector<CommandProfile> commands;
    for (const isa::CommandBuilder &word : words) {
      CommandProfile command;
      command.command = word.decoded();
      command.cost = cycles::estimate(command.command, chip);
      command.node = uint32_t(commands.size());
      commands.push_back(command);
    }
    return slowTransfersOf(commands, chip);
  }

  std::vector<isa::CommandBuilder> words;
};
} // namespace

TEST_F(SlowTransfersTest, namesTheReason) {
  // Node 0: 256 planes of 2 KiB that follow each other, at full rate.
  add({4,
       {1, 256, 16, 32},
       {{false, 0, 0x100000000}, {131072, 512, 32, 1}},
       {{true, 0, 0}, {2048, 512, 32, 1}}});
  // Node 1: 1024 numbers of 4 bytes, each for its own channel.
  add({4,
       {1, 1024, 1, 1},
       {{false, 0, 0x100000000}, {1024, 1, 1, 1}},
       {{true, 0, 0}, {16, 1, 1, 1}}});
  // Node 2: planes of 4 KiB whose distance is all four channels.
  add({4,
       {1, 64, 32, 32},
       {{false, 0, 0x100000000}, {262144, 4096, 32, 1}},
       {{true, 0, 0}, {1024, 1024, 32, 1}}});
  std::vector<SlowTransfers> rows = list();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].node, 1u); // loses most
  EXPECT_EQ(rows[0].reason, SlowTransfers::ShortRuns);
  EXPECT_EQ(rows[0].runBytes, 4u);
  EXPECT_EQ(rows[0].cycles, 19412u); // the figure of the vendor's model
  EXPECT_EQ(rows[0].bytes, 4096u);
  EXPECT_EQ(rows[0].direction, cycles::Direction::GlobalToLocal);
  EXPECT_EQ(rows[1].node, 2u);
  EXPECT_EQ(rows[1].reason, SlowTransfers::FewChannels);
  EXPECT_EQ(rows[1].channels, 1u);
}

TEST_F(SlowTransfersTest, leavesOutWhatTakesNoTime) {
  // 16 numbers: slow, but for 300 cycles.
  add({4,
       {1, 16, 1, 1},
       {{false, 0, 0x100000000}, {16, 1, 1, 1}},
       {{true, 0, 0}, {16, 1, 1, 1}}});
  EXPECT_TRUE(list().empty());
}
