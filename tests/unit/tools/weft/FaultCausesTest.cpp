//===- FaultCausesTest.cpp - what is wrong in a command -------------------===//

#include "tools/weft/FaultCauses.h"

#include "runtime/chips/Chips.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <gtest/gtest.h>
#include <memory>

using namespace weft;
using namespace weft::cli;

namespace {

/// A program of one engine's commands beside the right one.
class Commands {
public:
  Commands &add(const std::string &text, const std::string &expected) {
    CommandDifference difference;
    difference.command = assembled(text);
    difference.expected = assembled(expected);
    if (difference.command.form == difference.expected.form)
      for (const isa::FieldSpec &field : *difference.command.spec)
        if (uint64_t value = difference.command.get(field.name),
            right = difference.expected.get(field.name);
            value != right)
          difference.fields.push_back({field.name, value, right});
    found.commands.push_back(difference);
    return *this;
  }
  std::string cause() {
    return keyOf(causeOf(found.commands.front(), found, chips::bm1684x));
  }

private:
  isa::Decoded assembled(const std::string &text) {
    isa::AssembledLine line = isa::assemble(isa::firstTable(), text);
    EXPECT_TRUE(line && line.command) << text;
    words.push_back(
        std::make_unique<isa::CommandBuilder>(*std::move(line.command)));
    return words.back()->decoded();
  }
  std::vector<std::unique_ptr<isa::CommandBuilder>> words;
  ProgramDifference found;
};

const std::string load =
    "gdma id=1 dep=2 dma.tensor nchw_copy=1 src_data_format=fp32 src_nsize=1 "
    "src_csize=4 src_hsize=1 src_wsize=16 src_cstride=16 ";
const std::string sum = "tiu id=1 dep=0 arith.add tsk_opd_num=2 res0_n=1 "
                        "res0_c=1 res0_h=1 res0_w=16 ";

std::string with(const std::string &text, const std::string &from,
                 const std::string &to) {
  std::string changed = text;
  size_t at = changed.find(from);
  EXPECT_NE(at, text.npos) << from;
  return changed.replace(at, from.size(), to);
}

TEST(FaultCauses, go_by_fields) {
  const std::string right = load + "src_start_addr_h8=1 "
                                   "dst_start_addr_l32=0x08000000";
  EXPECT_EQ(Commands().add(with(right, "dep=2", "dep=0"), right).cause(),
            "missing wait");
  EXPECT_EQ(Commands().add(with(right, "dep=2", "dep=3"), right).cause(),
            "wrong wait");
  EXPECT_EQ(
      Commands().add(with(right, "0x08000000", "0x08000040"), right).cause(),
      "wrong address");
  EXPECT_EQ(Commands().add(with(right, "csize=4", "csize=3"), right).cause(),
            "wrong size");
  EXPECT_EQ(
      Commands().add(with(right, "stride=16", "stride=17"), right).cause(),
      "wrong stride");
  EXPECT_EQ(Commands().add(with(right, "fp32", "int32"), right).cause(),
            "wrong type");
}

TEST(FaultCauses, constants_stand_where_addresses_do) {
  const std::string right =
      sum + "opd1_const=1 opd0_addr=0x40 opd1_addr=0x3f800000";
  EXPECT_EQ(
      Commands().add(with(right, "0x3f800000", "0x40000000"), right).cause(),
      "wrong constant");
  EXPECT_EQ(Commands().add(with(right, "0x40", "0x80"), right).cause(),
            "wrong address");
}

TEST(FaultCauses, exchanged_addresses) {
  const std::string a = load + "src_start_addr_h8=1 src_start_addr_l32=0x1000",
                    b = load + "src_start_addr_h8=1 src_start_addr_l32=0x2000";
  EXPECT_EQ(Commands().add(a, b).add(b, a).cause(), "swapped tensors");
  EXPECT_EQ(Commands().add(a, b).cause(), "wrong address");
}

TEST(FaultCauses, another_command) {
  const std::string right = sum + "res0_addr=0x400 opd0_addr=0x40",
                    elsewhere = with(with(right, "0x400", "0x800"), "res0_w=16",
                                     "res0_w=8"),
                    here = with(with(right, "opd0_addr=0x40", "opd0_addr=0x80"),
                                "res0_w=16", "res0_w=8");
  EXPECT_EQ(Commands().add(elsewhere, right).cause(), "stale tensor");
  EXPECT_EQ(Commands().add(here, right).cause(), "wrong instruction");
}

} // namespace
