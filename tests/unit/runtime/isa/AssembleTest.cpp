//===- AssembleTest.cpp - text to commands and back ----------------------===//

#include "runtime/isa/Assemble.h"
#include "runtime/numeric/BitCast.h"
#include "tests/unit/runtime/isa/FirstTable.h"
#include <gtest/gtest.h>
#include <random>

using namespace weft;
using namespace weft::isa;

namespace {

/// Every instruction in each form that it has.
struct Row {
  const Opcode *opcode;
  Form form;
};

std::vector<Row> allRows() {
  std::vector<Row> rows;
  for (const Opcode &opcode : allOpcodes())
    for (Form form : {opcode.longForm, opcode.shortForm})
      if (form != Form::None && (rows.empty() || rows.back().form != form ||
                                 rows.back().opcode != &opcode))
        rows.push_back({&opcode, form});
  return rows;
}

std::string errorOf(const std::string &line) {
  AssembledLine result = assemble(line);
  if (!result.error)
    return "no error";
  return std::to_string(result.error->column) + ": " + result.error->message;
}

uint64_t fieldOf(const std::string &line, Field field) {
  AssembledLine result = assemble(line);
  EXPECT_TRUE(result) << errorOf(line);
  return result && result.command ? result.command->get(field) : ~uint64_t(0);
}

/// Random bits everywhere but in the head's selection; `sparse` leaves most
/// bits as the defaults have them, so that both kinds of field are printed.
std::vector<uint8_t> randomWord(const Row &row, std::mt19937_64 &random,
                                bool sparse) {
  CommandBuilder builder(firstTable(), *row.opcode, row.form);
  std::vector<uint8_t> word(builder.bytes(),
                            builder.bytes() + builder.sizeBytes());
  for (const FieldSpec &spec : formSpec(row.form)) {
    if (sparse && random() % 4 != 0)
      continue;
    if (spec.name == Field::cmd_short || spec.name == Field::tsk_typ ||
        spec.name == Field::tsk_eu_typ || spec.name == Field::cmd_type ||
        spec.name == Field::cmd_special_function)
      continue;
    detail::writeBits(word.data(), spec.offset, spec.width,
                      formSpec(row.form).bytes, random());
  }
  return word;
}

} // namespace

TEST(Assemble, EveryBitOfEveryFormRoundTrips) {
  std::mt19937_64 random(20261122);
  size_t words = 0;
  for (const Row &row : allRows())
    for (int round = 0; round < 40; ++round) {
      std::vector<uint8_t> word = randomWord(row, random, round % 2 == 1);
      DecodeResult decoded =
          decodeOne(row.opcode->engine, word.data(), word.size());
      ASSERT_TRUE(decoded);
      std::string text = disassemble(decoded.command);
      AssembledLine line = assemble(text);
      ASSERT_TRUE(line) << text << "\n" << errorOf(text);
      ASSERT_TRUE(line.command.has_value());
      ASSERT_EQ(line.command->sizeBytes(), word.size()) << text;
      EXPECT_EQ(std::vector<uint8_t>(line.command->bytes(),
                                     line.command->bytes() + word.size()),
                word)
          << text;
      ++words;
    }
  EXPECT_GT(words, 9000u);
}

TEST(Assemble, DefaultsOfABuilderNeedNoWords) {
  for (const Row &row : allRows()) {
    CommandBuilder builder(firstTable(), *row.opcode, row.form);
    std::string text = disassemble(builder.decoded());
    EXPECT_EQ(text.find('=', text.find(row.opcode->mnemonic)),
              std::string::npos)
        << text;
  }
}

TEST(Assemble, EndCommandsAreThoseOfTheEncoder) {
  AssembledLine tiu = assemble("tiu id=3 sys.end");
  ASSERT_TRUE(tiu);
  std::array<uint8_t, 16> end = makeTiuEnd(3);
  EXPECT_TRUE(std::equal(end.begin(), end.end(), tiu.command->bytes()));
  AssembledLine gdma = assemble("gdma id=5 dma.sys");
  ASSERT_TRUE(gdma);
  end = makeGdmaEnd(5);
  EXPECT_TRUE(std::equal(end.begin(), end.end(), gdma.command->bytes()));
}

TEST(Assemble, BlankLinesAndCommentsHoldNoCommand) {
  for (const char *text :
       {"", "   ", "\t", "; a comment", "  ; tiu nonsense", "\r"}) {
    AssembledLine line = assemble(text);
    EXPECT_TRUE(line);
    EXPECT_FALSE(line.command.has_value());
  }
  EXPECT_EQ(fieldOf("tiu arith.add res0_c=3 ; node 'a' (Add) res0_c=4\r",
                    Field::res0_c),
            3u);
}

TEST(Assemble, TheUsualFormIsTheDefault) {
  EXPECT_EQ(assemble("tiu arith.add").command->form(), Form::sAR);
  EXPECT_EQ(assemble("tiu arith.add AR").command->form(), Form::AR);
  EXPECT_EQ(assemble("gdma dma.general").command->form(), Form::DMA_general);
  EXPECT_EQ(assemble("gdma dma.general sDMA_general").command->form(),
            Form::sDMA_general);
  EXPECT_EQ(assemble("tiu arith.add AR").command->get(Field::tsk_lane_num),
            ~uint64_t(0));
}

TEST(Assemble, ValuesInEverySpelling) {
  EXPECT_EQ(fieldOf("tiu arith.add res0_prec=bf16", Field::res0_prec), 5u);
  EXPECT_EQ(fieldOf("tiu arith.add res0_prec=5", Field::res0_prec), 5u);
  EXPECT_EQ(fieldOf("tiu arith.add opd0_str=free", Field::opd0_str), 3u);
  EXPECT_EQ(fieldOf("tiu arith.cast opd2_n_str=floor", Field::opd2_n_str), 3u);
  EXPECT_EQ(fieldOf("tiu conv.normal pad_mode=edge", Field::pad_mode), 2u);
  EXPECT_EQ(fieldOf("tiu arith.add opd1_addr=0xAbC", Field::opd1_addr), 0xabcu);
  EXPECT_EQ(fieldOf("tiu arith.add opd2_addr=-3", Field::opd2_addr),
            0xfffffffdu);
  EXPECT_EQ(fieldOf("tiu arith.add opd1_addr=fp32(-1.5)", Field::opd1_addr),
            numeric::floatBits(-1.5f));
  EXPECT_EQ(fieldOf("tiu arith.add opd1_addr=fp16(1e-7)", Field::opd1_addr),
            2u); // 1e-7 / 2^-24 = 1.68, a subnormal
  EXPECT_EQ(fieldOf("tiu arith.add opd1_addr=fp16(65519)", Field::opd1_addr),
            0x7bffu); // the largest finite half
  constexpr char kWithNul[] = "tiu arith.add opd1_addr=fp32(1\0)";
  EXPECT_NE(errorOf(std::string(kWithNul, sizeof(kWithNul) - 1)), "no error");
  EXPECT_EQ(fieldOf("tiu arith.add opd1_addr=bf16(inf)", Field::opd1_addr),
            0x7f80u);
}

TEST(Assemble, RoundingNamesOnlyWhereTheFieldRounds) {
  AssembledLine division = assemble("tiu arith.div opd2_n_str=2");
  ASSERT_TRUE(division);
  EXPECT_NE(disassemble(division.command->decoded()).find("opd2_n_str=2"),
            std::string::npos);
  EXPECT_NE(errorOf("tiu arith.div opd2_n_str=floor"), "no error");
}

TEST(Assemble, ErrorsNameColumnWordAndWhatIsAccepted) {
  EXPECT_EQ(errorOf("tpu arith.add"),
            "1: 'tpu': a command begins with tiu or gdma");
  EXPECT_EQ(errorOf("tiu id=1 arith.ad"),
            "10: 'arith.ad': no instruction of the engine has this name, it "
            "must be one like 'conv.normal'; the nearest is 'arith.add'");
  EXPECT_EQ(errorOf("tiu"), "4: the line ends here; a mnemonic of the engine "
                            "must follow, like 'conv.normal'");
  EXPECT_EQ(errorOf("tiu arith.add sCONV"),
            "15: 'sCONV': the form of arith.add must be sAR or AR, or a "
            "field=value must follow");
  EXPECT_EQ(errorOf("tiu arith.add sAR res0_prek=1"),
            "19: 'res0_prek=1': form sAR has no field 'res0_prek'; the nearest "
            "is 'res0_prec'");
  EXPECT_EQ(errorOf("tiu arith.add sAR  res0_n=65536"),
            "20: 'res0_n=65536': the value must be a number from 0 to 65535 "
            "(or down to -32768)");
  EXPECT_EQ(errorOf("tiu arith.add sAR res0_prec=fp23"),
            "19: 'res0_prec=fp23': the value must be int8, fp16, fp32, int16, "
            "int32, bf16, int4, or a number from 0 to 7");
  EXPECT_EQ(errorOf("tiu arith.add res0_n=1 res0_n=1"),
            "24: 'res0_n=1': the field is given twice");
  EXPECT_EQ(errorOf("tiu arith.add cmd_short=1"),
            "15: 'cmd_short=1': this field follows from the mnemonic and the "
            "form; id and dependency are written id= and dep= behind the "
            "engine");
  EXPECT_EQ(errorOf("tiu id=1048576 arith.add"),
            "5: 'id=1048576': must be a number from 0 to 1048575");
  EXPECT_EQ(errorOf("tiu id=1 id=2 arith.add"), "10: 'id=2': is given twice");
  EXPECT_EQ(errorOf("tiu id=1 lar.add"),
            "5: 'id=1': form LAR has no such field");
  EXPECT_EQ(errorOf("tiu arith.add res0_n"),
            "15: 'res0_n': the form of arith.add must be sAR or AR, or a "
            "field=value must follow");
  EXPECT_EQ(errorOf("tiu arith.add sAR res0_n"),
            "19: 'res0_n': must be field=value");
  for (const char *value :
       {"", "0x", "-", "1x", "1e3", "fp32()", "fp32(1", "fp8(1)", "fp32(1e39)",
        "fp16(65520)", "bf16(1e39)", "fp32( 1)", "fp32(1,5)",
        "99999999999999999999", "-2147483649"})
    EXPECT_NE(errorOf("tiu arith.add opd1_addr=" + std::string(value)),
              "no error")
        << value;
}

TEST(CommandBuilder, ChecksFieldAndValue) {
  rt::Result<CommandBuilder> add =
      CommandBuilder::make(firstTable(), Engine::Tiu, 3, arith::Add);
  ASSERT_TRUE(add);
  EXPECT_EQ(add->form(), Form::sAR);
  EXPECT_TRUE(add->set(Field::res0_n, 65535));
  EXPECT_EQ(add->set(Field::res0_n, 65536).message(),
            "field res0_n of form sAR is 65536, must be at most 65535");
  EXPECT_EQ(add->get(Field::res0_n), 65535u);
  EXPECT_EQ(add->set(Field::opd3_addr, 1).code(), rt::Code::NotFound);
  EXPECT_TRUE(add->setSigned(Field::opd2_addr, -1));
  EXPECT_EQ(add->get(Field::opd2_addr), 0xffffffffu);
  EXPECT_EQ(add->setSigned(Field::res0_n, -32769).message(),
            "field res0_n of form sAR is -32769, must be at least -32768");
  EXPECT_EQ(add->setReserved(3, 1).code(), rt::Code::NotFound);
}

TEST(CommandBuilder, RefusesWhatTheTableLacks) {
  EXPECT_EQ(
      CommandBuilder::make(firstTable(), Engine::Tiu, 1, 3).status().message(),
      "no tiu instruction of type 1 and function 3");
  EXPECT_EQ(CommandBuilder::make(firstTable(), Engine::Tiu, 3, 2, Form::sCONV)
                .status()
                .message(),
            "arith.add has no form sCONV");
  EXPECT_FALSE(CommandBuilder().set(Field::res0_n, 1));
}
