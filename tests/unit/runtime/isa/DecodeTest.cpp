//===- DecodeTest.cpp - command bytes to instructions --------------------===//

#include "runtime/isa/Decode.h"
#include "tests/unit/runtime/isa/FirstTable.h"
#include <gtest/gtest.h>
#include <random>

using namespace weft::isa;

namespace {
/// Every row of the opcode table in each form it has.
struct Row {
  Engine engine;
  unsigned type;
  unsigned func;
  bool isShort;
  Form form;
};

std::vector<Row> allRows() {
  std::vector<Row> rows;
  for (Engine engine : {Engine::Tiu, Engine::Gdma})
    for (unsigned type = 0; type < 16; ++type)
      for (unsigned func = 0; func < 32; ++func)
        if (const Opcode *opcode = findOpcode(engine, type, func)) {
          if (opcode->longForm != Form::None)
            rows.push_back({engine, type, func, false, opcode->longForm});
          if (opcode->shortForm != Form::None)
            rows.push_back({engine, type, func, true, opcode->shortForm});
        }
  return rows;
}

std::vector<uint8_t> makeCommand(const Row &row) {
  std::vector<uint8_t> word(formSpec(row.form).bytes);
  bool tiu = row.engine == Engine::Tiu;
  set(row.form, Field::cmd_short, word.data(), row.isShort);
  set(row.form, tiu ? Field::tsk_typ : Field::cmd_type, word.data(), row.type);
  set(row.form, tiu ? Field::tsk_eu_typ : Field::cmd_special_function,
      word.data(), row.func);
  return word;
}
} // namespace

TEST(Decode, EveryOpcodeDecodesToItsForm) {
  std::vector<Row> rows = allRows();
  EXPECT_GT(rows.size(), 200u);
  for (const Row &row : rows) {
    std::vector<uint8_t> word = makeCommand(row);
    DecodeResult result = decodeOne(row.engine, word.data(), word.size());
    ASSERT_TRUE(result) << decodeErrorText(result.error);
    EXPECT_EQ(result.command.form, row.form);
    EXPECT_EQ(result.command.func, row.func);
    EXPECT_EQ(result.command.sizeBytes, word.size());
    EXPECT_EQ(result.command.mnemonic,
              findOpcode(row.engine, row.type, row.func)->mnemonic);
  }
}

TEST(Decode, TruncatedCommandsAreErrors) {
  for (const Row &row : allRows()) {
    std::vector<uint8_t> word = makeCommand(row);
    for (size_t size = 0; size < word.size(); ++size) {
      // A copy of exactly `size` bytes, so that a sanitizer sees a read beyond
      // it.
      std::vector<uint8_t> cut(word.begin(), word.begin() + size);
      EXPECT_EQ(decodeOne(row.engine, cut.data(), cut.size()).error,
                DecodeError::Truncated);
    }
  }
}

TEST(Decode, UnknownTypeFunctionAndFormAreErrors) {
  uint8_t word[128] = {};
  set<Form::sAR, Field::tsk_typ>(word, 11);
  EXPECT_EQ(decodeOne(Engine::Tiu, word, sizeof(word)).error,
            DecodeError::UnknownType);
  set<Form::sAR, Field::tsk_typ>(word, 1);
  set<Form::sAR, Field::tsk_eu_typ>(word, 3);
  EXPECT_EQ(decodeOne(Engine::Tiu, word, sizeof(word)).error,
            DecodeError::UnknownFunction);
  uint8_t dma[96] = {};
  set<Form::DMA_tensor, Field::cmd_short>(dma, 1);
  EXPECT_EQ(decodeOne(Engine::Gdma, dma, sizeof(dma)).error,
            DecodeError::NoSuchForm);
  set<Form::DMA_tensor, Field::cmd_type>(dma, 15);
  EXPECT_EQ(decodeOne(Engine::Gdma, dma, sizeof(dma)).error,
            DecodeError::UnknownType);
}

static DecodeResult
decodedEnd(Engine engine, const std::array<uint8_t, 16> &bytes, unsigned id) {
  DecodeResult result = decodeOne(engine, bytes.data(), bytes.size());
  EXPECT_TRUE(result);
  if (!result)
    return result;
  EXPECT_TRUE(result.command.isEnd());
  EXPECT_EQ(result.command.id(), id);
  return result;
}

// The two examples of the instruction set description.
TEST(Decode, TiuEndOfIdThree) {
  std::array<uint8_t, 16> expected = {0x06, 0x00, 0x00, 0x00,
                                      0x00, 0xfe, 0x03, 0x00};
  EXPECT_EQ(makeTiuEnd(3), expected);
  EXPECT_EQ(disassemble(decodedEnd(Engine::Tiu, expected, 3).command),
            "tiu id=3 dep=0 sys.end SYSID");
}

TEST(Decode, GdmaEndOfIdFive) {
  std::array<uint8_t, 16> expected = {0x28, 0x0a, 0x00, 0x00,
                                      0x06, 0x00, 0x00, 0x00};
  EXPECT_EQ(makeGdmaEnd(5), expected);
  decodedEnd(Engine::Gdma, expected, 5);
}

TEST(Decode, StreamStopsAtTheEndCommand) {
  std::vector<uint8_t> bytes =
      makeCommand({Engine::Tiu, 3, 2, true, Form::sAR});
  std::array<uint8_t, 16> end = makeTiuEnd(2);
  bytes.insert(bytes.end(), end.begin(), end.end());
  bytes.resize(bytes.size() + 100, 0xff);
  DecodedStream stream = decodeStream(Engine::Tiu, bytes.data(), bytes.size());
  EXPECT_EQ(stream.error, DecodeError::None);
  ASSERT_EQ(stream.commands.size(), 2u);
  EXPECT_EQ(stream.commands[0].mnemonic, "arith.add");
}

TEST(Decode, StreamReportsWhereItFails) {
  std::vector<uint8_t> bytes =
      makeCommand({Engine::Tiu, 3, 2, true, Form::sAR});
  bytes.resize(bytes.size() + 16);
  set<Form::SYSID, Field::tsk_typ>(bytes.data() + 64, 11);
  DecodedStream stream = decodeStream(Engine::Tiu, bytes.data(), bytes.size());
  EXPECT_NE(stream.error, DecodeError::None);
  EXPECT_EQ(stream.errorOffset, 64u);
  EXPECT_EQ(stream.commands.size(), 1u);
}

TEST(Decode, RandomBytesNeverReadOutside) {
  std::mt19937_64 random(7);
  size_t decoded = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<uint8_t> bytes(random() % 160);
    for (uint8_t &byte : bytes)
      byte = uint8_t(random());
    for (Engine engine : {Engine::Tiu, Engine::Gdma}) {
      DecodedStream stream = decodeStream(engine, bytes.data(), bytes.size());
      decoded += stream.commands.size();
      for (const Decoded &command : stream.commands)
        EXPECT_FALSE(disassemble(command).empty());
    }
  }
  EXPECT_GT(decoded, 1000u);
}

TEST(Decode, DisassemblesNonZeroFields) {
  std::vector<uint8_t> word = makeCommand({Engine::Tiu, 3, 2, true, Form::sAR});
  set<Form::sAR, Field::cmd_id>(word.data(), 7);
  set<Form::sAR, Field::cmd_id_dep>(word.data(), 4);
  set<Form::sAR, Field::res0_prec>(word.data(), 2);
  set<Form::sAR, Field::res0_w>(word.data(), 16);
  set<Form::sAR, Field::opd0_addr>(word.data(), 0x4000);
  DecodeResult result = decodeOne(Engine::Tiu, word.data(), word.size());
  ASSERT_TRUE(result);
  EXPECT_EQ(disassemble(result.command),
            "tiu id=7 dep=4 arith.add sAR cmd_id_en=0 res0_prec=fp32 res0_w=16 "
            "opd0_addr=0x4000");
  EXPECT_EQ(result.command.field("res0_w"), 16u);
  EXPECT_EQ(result.command.field("no_such_field"), std::nullopt);
}
