//===- AccessesTest.cpp - which memory a command touches -----------------===//
//
// Two judges: ranges worked out by hand, and the emulator, which executes every
// command of real programs: what it writes must lie inside the writes, and what
// lies outside the reads must not matter. Both go by the byte (LaneBytes.h).
//
//===----------------------------------------------------------------------===//

#include "runtime/isa/Accesses.h"

#include "runtime/bmodel/Bmodel.h"
#include "runtime/chips/Chips.h"
#include "runtime/device/EmulatorDevice.h"
#include "runtime/emulator/Emulator.h"
#include "tests/unit/runtime/isa/FirstTable.h"
#include "tests/unit/runtime/isa/TouchedBytes.h"

#include <cinttypes>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace weft;
using namespace weft::isa;
using test::copyBytes;
using test::markBytes;

namespace {

const Chip &chip = chips::bm1684x;

/// A command word with fields set by name.
class Word {
public:
  explicit Word(Form form) : form(form), bytes(formSpec(form).bytes) {}
  Word &set(Field field, uint64_t value) {
    EXPECT_TRUE(isa::set(form, field, bytes.data(), value))
        << fieldName(field) << " = " << value;
    return *this;
  }
  Word &shape(uint64_t n, uint64_t c, uint64_t h, uint64_t w) {
    return set(Field::res0_n, n)
        .set(Field::res0_c, c)
        .set(Field::res0_h, h)
        .set(Field::res0_w, w);
  }
  Word &source(uint64_t n, uint64_t c, uint64_t h, uint64_t w) {
    return set(Field::src_nsize, n)
        .set(Field::src_csize, c)
        .set(Field::src_hsize, h)
        .set(Field::src_wsize, w);
  }
  Word &from(uint64_t address) {
    return set(Field::src_start_addr_l32, address & 0xffffffff)
        .set(Field::src_start_addr_h8, address >> 32);
  }
  Word &to(uint64_t address) {
    return set(Field::dst_start_addr_l32, address & 0xffffffff)
        .set(Field::dst_start_addr_h8, address >> 32);
  }
  std::vector<Access> accesses() {
    Decoded command;
    DecodeResult result =
        decodeOne(formSpec(form).engine, bytes.data(), bytes.size());
    EXPECT_TRUE(result) << decodeErrorText(result.error);
    return accessesOf(result.command, chip);
  }

private:
  Form form;
  std::vector<uint8_t> bytes;
};

/// "opd0 r local 0x40..0x80 lanes 3+4".
std::string text(const Access &access) {
  static constexpr const char *memories[] = {"local", "static", "l2", "global",
                                             "none"};
  char line[160];
  std::snprintf(line, sizeof line, "%s %c %s 0x%" PRIx64 "..0x%" PRIx64,
                std::string(access.operand).c_str(), access.isWrite ? 'w' : 'r',
                memories[int(access.memory)], access.begin, access.end);
  std::string result = line;
  if (access.memory == Memory::Local)
    result += " lanes " + std::to_string(access.firstLane) + "+" +
              std::to_string(access.lanes);
  if (access.movedBytes)
    result += " moves " + std::to_string(access.movedBytes);
  return result;
}

std::vector<std::string> texts(const std::vector<Access> &accesses) {
  std::vector<std::string> lines;
  for (const Access &access : accesses)
    lines.push_back(text(access));
  return lines;
}
using Lines = std::vector<std::string>;

uint64_t code(Precision precision) { return uint64_t(precision); }

Word arithWord(unsigned func, unsigned operands) {
  return Word(Form::sAR)
      .set(Field::cmd_short, 1)
      .set(Field::tsk_typ, uint64_t(TiuType::Arith))
      .set(Field::tsk_eu_typ, func)
      .set(Field::tsk_opd_num, operands);
}

TEST(Accesses, element_arithmetic) {
  // 70 channels of 3x5 fp32 in 64 lanes from lane 2: two rows of 64 bytes each.
  Word word = arithWord(arith::Add, 2);
  word.shape(1, 70, 3, 5)
      .set(Field::res0_prec, code(Precision::Fp32))
      .set(Field::opd0_prec, code(Precision::Fp32))
      .set(Field::opd1_prec, code(Precision::Fp32))
      .set(Field::opd1_str, uint64_t(Layout::Compact))
      .set(Field::res0_addr, 2 * 0x40000 + 0x1000)
      .set(Field::opd0_addr, 2 * 0x40000 + 0x2000)
      .set(Field::opd1_addr, 2 * 0x40000 + 0x3000);
  EXPECT_EQ(texts(word.accesses()),
            (Lines{"opd0 r local 0x2000..0x207c lanes 2+64",
                   "opd1 r local 0x3000..0x3078 lanes 2+64",
                   "res0 w local 0x1000..0x107c lanes 2+64"}));
  word.set(Field::opd1_const, 1);
  EXPECT_EQ(word.accesses().size(), 2u);
  // A broadcast by strides: one element is read.
  word.set(Field::opd0_str, uint64_t(Layout::Free));
  EXPECT_EQ(text(word.accesses()[0]), "opd0 r local 0x2000..0x2004 lanes 2+64");
}

TEST(Accesses, mac_reads_its_result) {
  Word word = arithWord(arith::Mac, 3);
  word.shape(1, 1, 1, 64)
      .set(Field::res0_prec, code(Precision::Int16))
      .set(Field::opd1_const, 1)
      .set(Field::opd2_const, 1)
      .set(Field::opd0_addr, 0x400);
  EXPECT_EQ(texts(word.accesses()),
            (Lines{"opd0 r local 0x400..0x440 lanes 0+1",
                   "res0 r local 0x0..0x80 lanes 0+1",
                   "res0 w local 0x0..0x80 lanes 0+1"}));
}

TEST(Accesses, convolution) {
  Word word(Form::sCONV);
  word.set(Field::cmd_short, 1)
      .shape(2, 65, 4, 4)
      .set(Field::opd0_c, 33)
      .set(Field::opd0_h, 6)
      .set(Field::opd0_w, 6)
      .set(Field::opd1_h, 3)
      .set(Field::opd1_w, 3)
      .set(Field::opd0_prec, code(Precision::Fp16))
      .set(Field::res0_prec, code(Precision::Fp32))
      .set(Field::opd3_const, 1)
      .set(Field::res_add, 1)
      .set(Field::opd0_addr, 0x8000)
      .set(Field::opd1_addr, 0x10000)
      .set(Field::opd2_addr, 0x20000);
  // Input: 2 images of one row of 36 halves, 64 a row. Weights: 2 output
  // channels a lane, 64 input channels (two packs of 32) of 9. Result: 2 rows.
  EXPECT_EQ(texts(word.accesses()),
            (Lines{"opd0 r local 0x8000..0x80c8 lanes 0+33",
                   "opd1 r local 0x10000..0x10900 lanes 0+64",
                   "opd2 r local 0x20000..0x20008 lanes 0+64",
                   "res0 r local 0x0..0x100 lanes 0+64",
                   "res0 w local 0x0..0x100 lanes 0+64"}));
}

TEST(Accesses, ranges_end_with_the_lane) {
  Word word = arithWord(arith::Copy, 1);
  word.shape(65535, 65535, 65535, 65535)
      .set(Field::res0_prec, code(Precision::Fp32))
      .set(Field::opd0_const, 1)
      .set(Field::res0_addr, 0x3ffc0);
  EXPECT_EQ(texts(word.accesses()),
            (Lines{"res0 w local 0x3ffc0..0x40000 lanes 0+64"}));
  word.set(Field::res0_h, 0);
  EXPECT_TRUE(word.accesses().empty());
}

TEST(Accesses, dma_load_store_and_fill) {
  Word word(Form::DMA_tensor);
  word.set(Field::nchw_copy, 1)
      .source(1, 3, 10, 10)
      .set(Field::src_data_format, code(Precision::Fp32))
      .from(0x1'0000'0000)
      .to(chip.localMemoryBase + 0x40000 * 5 + 0x100);
  EXPECT_EQ(texts(word.accesses()),
            (Lines{"src r global 0x100000000..0x1000004b0 moves 1200",
                   "dst w local 0x100..0x290 lanes 5+3 moves 1200"}));
  word.set(Field::fill_constant_en, 1);
  EXPECT_EQ(texts(word.accesses()),
            (Lines{"dst w local 0x100..0x290 lanes 5+3 moves 1200"}));
}

TEST(Accesses, dma_broadcast_reads_one_channel) {
  Word word(Form::DMA_tensor);
  word.set(Field::cmd_special_function, gdma::TensorBroadcast)
      .source(1, 1, 1, 20)
      .set(Field::dst_nsize, 1)
      .set(Field::dst_csize, 64)
      .set(Field::dst_hsize, 1)
      .set(Field::dst_wsize, 20)
      .from(0x1'0000'0000)
      .to(chip.localMemoryBase);
  EXPECT_EQ(texts(word.accesses()),
            (Lines{"src r global 0x100000000..0x100000014 moves 20",
                   "dst w local 0x0..0x14 lanes 0+64 moves 1280"}));
}

// Whatever the bits are: ranges lie inside their memory and nothing overflows.
TEST(Accesses, any_field_values) {
  std::mt19937_64 random(7);
  size_t checked = 0;
  for (Engine engine : {Engine::Tiu, Engine::Gdma})
    for (unsigned type = 0; type < 16; ++type)
      for (unsigned func = 0; func < 32; ++func) {
        const Opcode *opcode = findOpcode(engine, type, func);
        if (!opcode)
          continue;
        for (Form form : {opcode->longForm, opcode->shortForm})
          for (int round = 0; form != Form::None && round < 200; ++round) {
            std::vector<uint8_t> word(formSpec(form).bytes);
            for (uint8_t &byte : word)
              // All ones in every tenth command: the largest values.
              byte = round % 10 == 0 ? 0xff : uint8_t(random());
            Decoded command;
            command.engine = engine;
            command.form = form;
            command.spec = &formSpec(form);
            command.opcode = opcode;
            command.type = uint8_t(type);
            command.func = uint8_t(func);
            command.sizeBytes = unsigned(word.size());
            command.bytes = word.data();
            for (const Access &access : accessesOf(command, chip)) {
              ++checked;
              ASSERT_LE(access.begin, access.end) << opcode->mnemonic;
              if (access.memory != Memory::Local)
                continue;
              ASSERT_LE(access.end, chip.laneBytes) << opcode->mnemonic;
              ASSERT_LT(access.firstLane, chip.lanes) << opcode->mnemonic;
              ASSERT_LE(access.lanes, chip.lanes) << opcode->mnemonic;
            }
          }
      }
  EXPECT_GT(checked, 20000u);
}

TEST(Accesses, memories_by_address) {
  EXPECT_EQ(memoryOf(0, chip), Memory::None);
  EXPECT_EQ(memoryOf(chip.localMemoryBase, chip), Memory::Local);
  EXPECT_EQ(memoryOf(chip.localMemoryBase + chip.localMemoryBytes(), chip),
            Memory::Static);
  EXPECT_EQ(memoryOf(chip.staticMemoryBase + chip.staticMemoryBytes, chip),
            Memory::None);
  EXPECT_EQ(memoryOf(chip.l2MemoryBase, chip), Memory::L2);
  EXPECT_EQ(memoryOf(chip.globalMemoryBase, chip), Memory::Global);
}

//===-- against the emulator ----------------------------------------------===//

/// The commands of a group in an order that the ids allow.
std::vector<Decoded> serialOrder(const rt::GroupSpec &group) {
  DecodedStream streams[2] = {
      decodeStream(Engine::Tiu, group.tiu.data, group.tiu.size),
      decodeStream(Engine::Gdma, group.gdma.data, group.gdma.size)};
  size_t next[2] = {0, 0};
  std::vector<Decoded> order;
  for (bool moved = true; moved;) {
    moved = false;
    for (int engine : {0, 1})
      while (next[engine] < streams[engine].commands.size() &&
             streams[engine].commands[next[engine]].dep() <= next[1 - engine]) {
        order.push_back(streams[engine].commands[next[engine]++]);
        moved = true;
      }
  }
  return order;
}

class ProgramTest : public testing::TestWithParam<const char *> {};

TEST_P(ProgramTest, the_emulator_touches_nothing_else) {
  rt::Result<rt::Bmodel> model = rt::Bmodel::load(
      std::string(WEFT_TEST_DATA "/vendor-bmodels/") + GetParam());
  ASSERT_TRUE(model) << model.status().message();
  const rt::StageSpec &stage = model->nets()[0].stages[0];
  rt::Result<std::unique_ptr<emulator::Emulator>> created =
      emulator::Emulator::create(chip);
  ASSERT_TRUE(created);
  emulator::Emulator &machine = **created;
  std::vector<uint8_t> weights(stage.weightBytes.data,
                               stage.weightBytes.data + stage.weights.bytes);
  std::vector<uint8_t> activations(stage.activations.bytes);
  std::mt19937 random(4);
  for (const rt::TensorSpec &input : stage.inputs)
    for (uint64_t i = 0; i < input.storedBytes; ++i) // small positive numbers
      activations[input.address - stage.activations.address + i] =
          i % 4 == 3 ? 0x3d : uint8_t(random());
  ASSERT_TRUE(machine.mapGlobalReadOnly(stage.weights.address, weights.data(),
                                        weights.size()));
  ASSERT_TRUE(machine.mapGlobal(stage.activations.address, activations.data(),
                                activations.size()));
  size_t size = chip.localMemoryBytes();
  std::vector<uint8_t> noise(size), before(size), after(size), isWritten(size);
  for (uint8_t &byte : noise)
    byte = uint8_t(random());
  size_t checked = 0;
  for (const rt::GroupSpec &group : stage.groups)
    for (const Decoded &command : serialOrder(group)) {
      std::vector<Access> accesses = accessesOf(command, chip);
      std::fill(isWritten.begin(), isWritten.end(), 0);
      for (const Access &access : accesses)
        if (access.isWrite)
          markBytes(access, chip, isWritten.data());
      uint8_t *local = machine.localMemory();
      std::memcpy(before.data(), local, size);
      rt::Status status =
          machine.execute(command.engine, command.bytes, command.sizeBytes);
      ASSERT_TRUE(status) << status.message();
      std::memcpy(after.data(), local, size);
      // Once more on noise wherever it does not read.
      std::memcpy(local, noise.data(), size);
      for (const Access &access : accesses)
        if (!access.isWrite)
          copyBytes(access, chip, before.data(), local);
      ASSERT_TRUE(
          machine.execute(command.engine, command.bytes, command.sizeBytes));
      size_t stray = 0, differs = 0;
      constexpr size_t kBlock = 4096;
      for (size_t block = 0; block < size; block += kBlock) {
        if (std::memcmp(&after[block], &before[block], kBlock) == 0)
          continue;
        for (size_t i = block; i < block + kBlock; ++i) {
          bool changed = after[i] != before[i];
          stray += changed && !isWritten[i];
          differs += changed && local[i] != after[i];
        }
      }
      EXPECT_EQ(stray, 0u) << "writes elsewhere: " << disassemble(command);
      EXPECT_EQ(differs, 0u) << "reads elsewhere: " << disassemble(command);
      std::memcpy(local, after.data(), size);
      ++checked;
    }
  EXPECT_GT(checked, 10u);
}

INSTANTIATE_TEST_SUITE_P(Vendor, ProgramTest,
                         testing::Values("tiny_INT8.bmodel", "rich_F32.bmodel",
                                         "rich_BF16.bmodel",
                                         "rich_INT8asym.bmodel"));

TEST(Accesses, moved_dram_bytes_are_those_of_the_emulator) {
  for (const char *name : {"rich_F16.bmodel", "ppocr_cls_INT8.bmodel"}) {
    rt::Result<rt::Bmodel> model =
        rt::Bmodel::load(std::string(WEFT_TEST_DATA "/vendor-bmodels/") + name);
    ASSERT_TRUE(model) << model.status().message();
    const rt::StageSpec &stage = model->nets()[0].stages[0];
    uint64_t moved[2] = {0, 0};
    for (const rt::GroupSpec &group : stage.groups)
      for (const Decoded &command :
           decodeStream(Engine::Gdma, group.gdma.data, group.gdma.size)
               .commands)
        for (const Access &access : accessesOf(command, chip))
          if (access.memory == Memory::Global)
            moved[access.isWrite] += access.movedBytes;
    rt::Result<emulator::RunStats> stats =
        emulator::summarizeCommands(chip, rt::commandGroups(stage));
    ASSERT_TRUE(stats);
    EXPECT_EQ(moved[0], stats->dramReadBytes) << name;
    EXPECT_EQ(moved[1], stats->dramWriteBytes) << name;
  }
}

} // namespace
