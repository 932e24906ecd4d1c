#include "runtime/profile/Profile.h"

#include "runtime/chips/Chips.h"
#include "runtime/device/EmulatorDevice.h"
#include "tests/unit/runtime/VendorFiles.h"
#include "tests/unit/runtime/bmodel/SmallModel.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::profile;
using isa::Engine;
using weft::test::vendorFiles;

namespace {

rt::Bmodel loaded(rt::Result<rt::Bmodel> model) {
  EXPECT_TRUE(model) << model.status().message();
  return *model;
}
rt::Bmodel smallModel() {
  return loaded(rt::Bmodel::load(packModel(rt::makeSmallModel()), "small"));
}
Profile profiled(const rt::Bmodel &model) {
  rt::Result<Profile> profile = profileStage(model, model.nets()[0].stages[0]);
  EXPECT_TRUE(profile) << profile.status().message();
  return *std::move(profile);
}

TEST(Profile, one_copy_in_dram) {
  rt::Bmodel model = smallModel();
  Profile profile = profiled(model);
  ASSERT_EQ(profile.commands[0].size(), 0u);
  ASSERT_EQ(profile.commands[1].size(), 1u); // without the end commands
  const CommandProfile &copy = profile.commands[1][0];
  uint64_t cycles = cycles::estimate(copy.command, chips::bm1684x).cycles;
  EXPECT_GT(cycles, 0u);
  EXPECT_EQ(profile.totalCycles, cycles);
  EXPECT_EQ(copy.dramReadBytes, 64u); // 4 x 4 words
  EXPECT_EQ(copy.dramWriteBytes, 64u);
  EXPECT_TRUE(copy.span.isCritical);
  EXPECT_DOUBLE_EQ(profile.roofline.dramCycles,
                   128 / profile.peakDramBytesPerCycle);
  EXPECT_EQ(profile.roofline.computeCycles, 0);
  EXPECT_FALSE(profile.roofline.isComputeBound());
  EXPECT_TRUE(profile.liveRanges.empty());
}

// What a command of impossible sizes moves is cut off, so info gives a lower
// bound and says so, and there is no profile to trust.
TEST(Profile, a_command_that_moves_more_than_memory_is_refused) {
  rt::Bmodel model = smallModel();
  // The loader refuses such commands; others may make a stage, too.
  rt::StageSpec stage = model.nets()[0].stages[0];
  rt::ByteSpan old = stage.groups[0].gdma;
  std::vector<uint8_t> bytes(old.data, old.data + old.size);
  stage.groups[0].gdma = {bytes.data(), bytes.size()};
  auto set = [&](isa::Field field, uint64_t value) {
    ASSERT_TRUE(isa::set(isa::Form::DMA_tensor, field, bytes.data(), value));
  };
  for (isa::Field size : {isa::Field::src_nsize, isa::Field::src_csize,
                          isa::Field::src_hsize, isa::Field::src_wsize})
    set(size, 65535);
  rt::Result<Profile> profile = profileStage(model, stage);
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.status().code(), rt::Code::BadCommand);
  EXPECT_EQ(profile.status().message(),
            "group 0 gdma command 0 (dma.tensor) takes 2^48 cycles or more, no "
            "such command can run; weft info --check says what is wrong with "
            "it");
  auto stats =
      emulator::summarizeCommands(model.chip(), rt::commandGroups(stage));
  ASSERT_TRUE(stats);
  EXPECT_TRUE(stats->isCut);
  EXPECT_EQ(stats->dramReadBytes, uint64_t(1) << 45);
  EXPECT_EQ(stats->dramWriteBytes, uint64_t(1) << 45);

  // 2^42 bytes: fewer cycles than that, but more than there are addresses.
  set(isa::Field::src_nsize, 32768);
  set(isa::Field::src_csize, 32768);
  set(isa::Field::src_hsize, 1024);
  set(isa::Field::src_wsize, 1);
  profile = profileStage(model, stage);
  ASSERT_FALSE(profile);
  EXPECT_EQ(profile.status().message(),
            "group 0 gdma command 0 (dma.tensor): src moves 4398046511104 "
            "bytes or more, the chip addresses 1099511627776; weft info "
            "--check says what is wrong with it");
  stats = emulator::summarizeCommands(model.chip(), rt::commandGroups(stage));
  ASSERT_TRUE(stats);
  EXPECT_FALSE(stats->isCut);
  EXPECT_EQ(stats->dramReadBytes, uint64_t(1) << 42);
}

TEST(Profile, a_command_of_two_nodes_is_one_row) {
  rt::Bmodel model = smallModel();
  Profile profile = profiled(model);
  EXPECT_TRUE(profile.hasDebugMap);
  ASSERT_EQ(profile.nodes.size(), 1u);
  ASSERT_EQ(profile.nodes[0].nodes.size(), 2u);
  EXPECT_EQ(profile.nodes[0].nodes[0]->name()->str(), "Copy_0");
  EXPECT_EQ(profile.nodes[0].nodes[1]->name()->str(), "Copy_1");
  EXPECT_EQ(profile.nodes[0].gdma.cycles, profile.totalCycles);
  EXPECT_EQ(profile.nodes[0].criticalCycles(), profile.totalCycles);
  EXPECT_EQ(profile.nodes[0].gdma.dramReadBytes, 64u);
  EXPECT_EQ(profile.commands[1][0].node, 0u);
}

TEST(Profile, without_a_debug_map_there_are_no_nodes) {
  rt::SmallModel small = rt::makeSmallModel();
  small.tables.nets[0]->stages[0]->debug_map.reset();
  rt::Bmodel model = loaded(rt::Bmodel::load(packModel(small), "small"));
  Profile profile = profiled(model);
  EXPECT_FALSE(profile.hasDebugMap);
  EXPECT_TRUE(profile.nodes.empty());
  EXPECT_EQ(profile.commands[1][0].node, kNone);
}

// The loader refuses it, so that no profile is asked of such a file.
TEST(Profile, commands_that_wait_for_what_never_runs_do_not_load) {
  rt::SmallModel small = rt::makeSmallModel();
  ASSERT_TRUE(
      isa::set(isa::Form::DMA_tensor, isa::Field::cmd_id_dep, small.gdma(), 9));
  rt::Result<rt::Bmodel> model = rt::Bmodel::load(packModel(small), "small");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.status().code(), rt::Code::Deadlock);
}

/// What must hold for every profile, whatever the costs are.
class VendorTest : public testing::TestWithParam<std::string> {};

TEST_P(VendorTest, sums_agree) {
  rt::Bmodel model = loaded(rt::Bmodel::load(GetParam()));
  const rt::StageSpec &stage = model.nets()[0].stages[0];
  Profile profile = profiled(model);
  Sum kinds[2];
  for (const KindRow &row : profile.kinds) {
    Sum &sum = kinds[size_t(row.engine)];
    sum.commands += row.sum.commands;
    sum.cycles += row.sum.cycles;
    sum.criticalCycles += row.sum.criticalCycles;
    sum.macs += row.sum.macs;
  }
  uint64_t critical = 0, macs = 0, typed = 0;
  for (size_t engine : {0, 1}) {
    const Sum &sum = profile.engines[engine];
    EXPECT_EQ(sum.commands, profile.commands[engine].size());
    EXPECT_EQ(sum.commands, kinds[engine].commands);
    EXPECT_EQ(sum.cycles, kinds[engine].cycles);
    EXPECT_EQ(sum.criticalCycles, kinds[engine].criticalCycles);
    critical += sum.criticalCycles;
    macs += sum.macs;
    EXPECT_LE(sum.cycles, profile.totalCycles);
  }
  EXPECT_EQ(critical, profile.totalCycles);
  for (const PrecisionRow &row : profile.precisions)
    typed += row.macs;
  EXPECT_EQ(typed, macs);
  EXPECT_GT(macs, 0u);
  EXPECT_LE(profile.roofline.cycles(), double(profile.totalCycles));
  // Inclusion and exclusion: either engine is busy at most all the time.
  uint64_t busy = profile.engines[0].cycles + profile.engines[1].cycles;
  EXPECT_LE(busy - profile.overlapCycles, profile.totalCycles);
  rt::Result<emulator::RunStats> stats =
      emulator::summarizeCommands(model.chip(), rt::commandGroups(stage));
  ASSERT_TRUE(stats);
  EXPECT_EQ(profile.engines[1].dramReadBytes, stats->dramReadBytes);
  EXPECT_EQ(profile.engines[1].dramWriteBytes, stats->dramWriteBytes);
}

TEST_P(VendorTest, local_memory_holds_disjoint_values) {
  rt::Bmodel model = loaded(rt::Bmodel::load(GetParam()));
  Profile profile = profiled(model);
  EXPECT_FALSE(profile.liveRanges.empty());
  EXPECT_GT(profile.memory.whole.peakBytes, 0u);
  EXPECT_LE(profile.memory.whole.peakBytes, model.chip().laneBytes);
  for (const LiveRange &range : profile.liveRanges) {
    EXPECT_LT(range.begin, range.end);
    EXPECT_LE(range.from, range.to);
    EXPECT_LE(range.to, profile.totalCycles);
    EXPECT_EQ(range.from, profile.commandOf(range.writer).span.start);
  }
  for (const Occupancy &bank : profile.memory.banks)
    EXPECT_LE(bank.peakBytes, model.chip().laneBytes / model.chip().banks);
}

INSTANTIATE_TEST_SUITE_P(
    Files, VendorTest, testing::ValuesIn(vendorFiles()), [](const auto &info) {
      return std::filesystem::path(info.param).stem().string();
    });

TEST(Profile, the_repository_has_the_vendor_files) {
  EXPECT_EQ(vendorFiles().size(), 18u);
}

} // namespace
