//===- RacesTest.cpp - accesses that no wait puts in order ---------------===//

#include "runtime/races/Races.h"

#include "runtime/chips/Chips.h"
#include "tests/unit/runtime/VendorFiles.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::races;
using testing::HasSubstr;

namespace {

const Chip &chip = chips::bm1684x;

/// Two streams, written as `weft disasm` prints them, without ids.
class Program {
public:
  Program &tiu(const std::string &text) { return add(0, "tiu " + text); }
  Program &gdma(const std::string &text) { return add(1, "gdma " + text); }

  Findings findings() {
    std::vector<isa::Decoded> streams[2];
    for (int engine : {0, 1})
      for (const isa::CommandBuilder &word : words[engine])
        streams[engine].push_back(word.decoded());
    rt::Result<Findings> found = findRaces(streams[0], streams[1], chip);
    EXPECT_TRUE(found) << found.status().message();
    return found ? *std::move(found) : Findings();
  }
  /// "write after read: gdma 1, tiu 0, 0x0..0x40 lanes 0..1" a race.
  std::vector<std::string> races() {
    std::vector<std::string> lines;
    for (const Race &race : findings().races) {
      char bytes[64];
      std::snprintf(bytes, sizeof bytes, ", 0x%llx..0x%llx",
                    (unsigned long long)race.begin,
                    (unsigned long long)race.end);
      std::string line(conflictName(race.conflict));
      for (const Side *side : {&race.first, &race.second})
        line += std::string(side == &race.first ? ": " : ", ") +
                std::string(isa::engineName(side->command.engine)) + " " +
                std::to_string(side->index);
      line += bytes;
      if (race.memory == isa::Memory::Local)
        line += " lanes " + std::to_string(race.firstLane) + ".." +
                std::to_string(race.endLane);
      if (race.impliedRaces != 0)
        line += " and " + std::to_string(race.impliedRaces);
      lines.push_back(line);
    }
    return lines;
  }

private:
  std::vector<isa::CommandBuilder> words[2];

  Program &add(int engine, const std::string &text) {
    isa::AssembledLine line = isa::assemble(isa::firstTable(), text);
    EXPECT_TRUE(line && line.command) << text;
    if (line && line.command) {
      words[engine].push_back(*line.command);
      EXPECT_TRUE(
          words[engine].back().set(isa::Field::cmd_id, words[engine].size()));
    }
    return *this;
  }
};
using Lines = std::vector<std::string>;

/// 16 fp32 of `channels` channels from DRAM to `to` (0x08000000: lane 0).
std::string load(int dep, const std::string &to, int channels = 1) {
  return "dep=" + std::to_string(dep) +
         " dma.tensor nchw_copy=1 src_data_format=fp32 src_nsize=1 src_csize=" +
         std::to_string(channels) +
         " src_hsize=1 src_wsize=16 src_start_addr_h8=1 dst_start_addr_l32=" +
         to;
}
std::string store(int dep, const std::string &from) {
  return "dep=" + std::to_string(dep) +
         " dma.tensor nchw_copy=1 src_data_format=fp32 src_nsize=1 src_csize=1 "
         "src_hsize=1 src_wsize=16 src_start_addr_l32=" +
         from + " dst_start_addr_h8=1";
}
/// to = from + 1 on 16 fp32.
std::string addOne(int dep, const std::string &from, const std::string &to) {
  return "dep=" + std::to_string(dep) +
         " arith.add tsk_opd_num=2 res0_prec=fp32 opd0_prec=fp32 "
         "opd1_prec=fp32 opd1_const=1 opd1_addr=0x3f800000 res0_n=1 res0_c=1 "
         "res0_h=1 res0_w=16 res0_addr=" +
         to + " opd0_addr=" + from;
}

TEST(Races, waits_make_order) {
  EXPECT_EQ(Program()
                .gdma(load(0, "0x08000000"))
                .tiu(addOne(1, "0", "0x40"))
                .gdma(store(1, "0x08000040"))
                .races(),
            Lines{});
}

TEST(Races, read_after_write) {
  EXPECT_EQ(
      Program().gdma(load(0, "0x08000000")).tiu(addOne(0, "0", "0x40")).races(),
      Lines{"read after write: gdma 0, tiu 0, 0x0..0x40 lanes 0..1"});
  EXPECT_EQ(Program()
                .gdma(load(0, "0x08000000"))
                .tiu(addOne(1, "0", "0x40"))
                .gdma(store(0, "0x08000040"))
                .races(),
            Lines{"read after write: tiu 0, gdma 1, 0x40..0x80 lanes 0..1"});
}

TEST(Races, write_after_read) {
  // The second load comes into the place from which the first value is read.
  EXPECT_EQ(Program()
                .gdma(load(0, "0x08000000"))
                .tiu(addOne(1, "0", "0x40"))
                .gdma(load(0, "0x08000000"))
                .races(),
            Lines{"write after read: tiu 0, gdma 1, 0x0..0x40 lanes 0..1"});
}

TEST(Races, a_lost_wait_in_a_loop_of_two_buffers_keeps_its_name) {
  // Round i loads buffer i % 2, adds in place and stores. The third load must
  // wait for the first store's addition, the third addition for the load.
  auto rounds = [](int loadWait, int addWait) {
    Program program;
    program.gdma(load(0, "0x08000000"))
        .tiu(addOne(1, "0", "0x40"))
        .gdma(load(0, "0x08000100"))
        .tiu(addOne(2, "0x100", "0x140"))
        .gdma(load(loadWait, "0x08000000"))
        .tiu(addOne(addWait, "0", "0x40"));
    return program.races();
  };
  EXPECT_EQ(rounds(1, 3), Lines{});
  EXPECT_EQ(rounds(0, 3),
            Lines{"write after read: tiu 0, gdma 2, 0x0..0x40 lanes 0..1"});
  EXPECT_EQ(rounds(1, 0),
            Lines{"read after write: gdma 2, tiu 2, 0x0..0x40 lanes 0..1"});
}

TEST(Races, write_after_write) {
  EXPECT_EQ(Program()
                .tiu(addOne(0, "0x100", "0"))
                .gdma(load(0, "0x08000020"))
                .races(),
            Lines{"write after write: tiu 0, gdma 0, 0x20..0x40 lanes 0..1"});
}

TEST(Races, reads_do_not_conflict) {
  EXPECT_EQ(Program()
                .gdma(load(0, "0x08000000"))
                .tiu(addOne(1, "0", "0x40"))
                .gdma(store(0, "0x08000000"))
                .races(),
            Lines{});
}

TEST(Races, one_wait_orders_what_is_before_and_behind) {
  // The addition misses both loads, and so does the one behind it.
  EXPECT_EQ(
      Program()
          .gdma(load(0, "0x08000000"))
          .gdma(load(0, "0x08000100"))
          .tiu(addOne(0, "0", "0x40"))
          .tiu(addOne(0, "0x100", "0x140"))
          .races(),
      (Lines{"read after write: gdma 0, tiu 0, 0x0..0x40 lanes 0..1",
             "read after write: gdma 1, tiu 1, 0x100..0x140 lanes 0..1"}));
  EXPECT_EQ(
      Program()
          .gdma(load(0, "0x08000000"))
          .gdma(load(0, "0x08000100"))
          .tiu(addOne(0, "0x100", "0x140"))
          .tiu(addOne(0, "0", "0x40"))
          .races(),
      Lines{"read after write: gdma 1, tiu 0, 0x100..0x140 lanes 0..1 and 1"});
}

TEST(Races, other_lanes_are_other_bytes) {
  EXPECT_EQ(
      Program().gdma(load(0, "0x08040000")).tiu(addOne(0, "0", "0x40")).races(),
      Lines{});
  // 3 channels from lane 63: lane 63, then lanes 0 and 1 a row further on.
  std::string around = load(0, "0x08fc0000", 3);
  EXPECT_EQ(Program().gdma(around).tiu(addOne(0, "0", "0x200")).races(),
            Lines{});
  EXPECT_EQ(Program().gdma(around).tiu(addOne(0, "0x40", "0x200")).races(),
            Lines{"read after write: gdma 0, tiu 0, 0x40..0x80 lanes 0..1"});
  EXPECT_EQ(Program().gdma(around).tiu(addOne(0, "0x80040", "0x80200")).races(),
            Lines{});
}

/// 8 of 16 fp32, every other one, from `to` on.
std::string addOdd(const std::string &to) {
  return addOne(0, "0x1000", to) +
         " res0_str=free res0_n_str=16 res0_c_str=16 res0_h_str=2 res0_w_str=2";
}

TEST(Races, what_strides_skip_does_not_count) {
  std::string even =
      "dma.tensor nchw_copy=1 stride_enable=1 "
      "src_data_format=fp32 src_nsize=1 src_csize=1 src_hsize=1 "
      "src_wsize=16 src_start_addr_h8=1 "
      "dst_start_addr_l32=0x08000000 src_wstride=1 dst_wstride=2";
  EXPECT_EQ(Program().gdma(even).tiu(addOdd("0x4")).races(), Lines{});
  EXPECT_EQ(Program().gdma(even).tiu(addOdd("0x8")).races(),
            Lines{"write after write: tiu 0, gdma 0, 0x8..0xc lanes 0..1"});
  // A byte is enough.
  EXPECT_EQ(Program().gdma(even).tiu(addOdd("0x1c")).races().size(), 0u);
  EXPECT_EQ(Program().gdma(even).tiu(addOdd("0x1b")).races(),
            Lines{"write after write: tiu 0, gdma 0, 0x1b..0x1c lanes 0..1"});
}

TEST(Races, bytes_that_go_on_in_the_next_lane) {
  // 0x40000 bytes from the middle of lane 1 to the middle of lane 2.
  std::string copy = "dma.general src_data_format=fp32 move_length=0x10000 "
                     "src_start_addr_h8=1 dst_start_addr_l32=0x08060000";
  EXPECT_EQ(Program().gdma(copy).tiu(addOne(0, "0x20000", "0x40")).races(),
            Lines{});
  EXPECT_EQ(Program().gdma(copy).tiu(addOne(0, "0x40000", "0x40")).races(),
            Lines{});
  EXPECT_EQ(
      Program().gdma(copy).tiu(addOne(0, "0x60000", "0x40")).races(),
      Lines{"read after write: gdma 0, tiu 0, 0x20000..0x20040 lanes 1..2"});
  EXPECT_EQ(Program().gdma(copy).tiu(addOne(0, "0x80000", "0x40")).races(),
            Lines{"read after write: gdma 0, tiu 0, 0x0..0x40 lanes 2..3"});
  EXPECT_EQ(Program().gdma(copy).tiu(addOne(0, "0xa0000", "0x40")).races(),
            Lines{});
}

TEST(Races, static_memory) {
  std::string broadcast = "tsbc.s_bc res0_prec=fp32 res0_n=1 res0_c=1 res0_h=1 "
                          "res0_w=10 opd0_c=1 opd0_w=10 res0_addr=0x8800 "
                          "opd0_addr=0x9000400";
  std::string race = "read after write: gdma 0, tiu 0, 0x9000420..0x9000428";
  EXPECT_EQ(Program().gdma(load(0, "0x09000420")).tiu(broadcast).races(),
            Lines{race});
  EXPECT_EQ(Program().gdma(load(0, "0x09000428")).tiu(broadcast).races(),
            Lines{});
}

TEST(Races, text_names_what_is_needed) {
  // The text reads the commands, which the findings only point to.
  Program program;
  program.gdma(load(0, "0x08000000"))
      .tiu(addOne(1, "0", "0x40"))
      .gdma(load(0, "0x08000000", 8));
  Findings found = program.findings();
  ASSERT_EQ(found.races.size(), 1u);
  EXPECT_EQ(found.commands, 3u);
  EXPECT_EQ(raceText(found.races[0]),
            "write after read without a wait: tiu command 0 (arith.add) reads "
            "(opd0) and gdma command 1 (dma.tensor) writes (dst) bytes 0x0 to "
            "0x40 of lane 0; the cmd_id_dep of gdma command 1 (dma.tensor) is "
            "0 and must be 1 or more");
}

TEST(Races, the_search_ends) {
  Program program;
  for (int i = 0; i < 120; ++i)
    program.gdma(load(0, "0x08000000")).tiu(addOne(0, "0", "0"));
  Findings found = program.findings();
  EXPECT_TRUE(found.isCut);
  EXPECT_EQ(found.raceCount(), kMostRaces);
  EXPECT_LT(found.races.size(), 200u);
}

TEST(Races, engines_that_wait_for_each_other) {
  isa::AssembledLine tiu =
      isa::assemble(isa::firstTable(), "tiu id=1 " + addOne(1, "0", "0"));
  isa::AssembledLine gdma =
      isa::assemble(isa::firstTable(), "gdma id=1 " + load(1, "0x08000000"));
  rt::Result<Findings> found =
      findRaces({tiu.command->decoded()}, {gdma.command->decoded()}, chip);
  EXPECT_EQ(found.status().code(), rt::Code::Deadlock);
}

TEST(Races, the_vendors_programs_have_none) {
  std::vector<std::string> files = test::vendorFiles();
  EXPECT_EQ(files.size(), 18u);
  uint64_t commands = 0;
  for (const std::string &file : files) {
    rt::Result<rt::Bmodel> model = rt::Bmodel::load(file);
    ASSERT_TRUE(model) << model.status().message();
    for (const rt::NetSpec &net : model->nets())
      for (const rt::StageSpec &stage : net.stages) {
        rt::Result<Findings> found = findRaces(stage, model->chip());
        ASSERT_TRUE(found) << found.status().message();
        commands += found->commands;
        for (const Race &race : found->races)
          ADD_FAILURE() << file << ": " << raceText(race);
      }
  }
  EXPECT_GT(commands, 2000u);
}

} // namespace
