//===- IsaTest.cpp - fields of every instruction word --------------------===//

#include "runtime/isa/Isa.h"
#include "runtime/chips/Chips.h"
#include "tests/unit/runtime/isa/FirstTable.h"
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace weft;
using namespace weft::isa;

namespace {
class EveryForm : public testing::TestWithParam<Form> {};

std::vector<Form> allForms() {
  std::vector<Form> forms;
  for (size_t i = 1; i < kFormCount; ++i)
    forms.push_back(static_cast<Form>(i));
  return forms;
}

/// Reads bits one by one: a second, independent reading of "offset and width".
uint64_t bitsOneByOne(const uint8_t *word, const FieldSpec &spec) {
  uint64_t value = 0;
  for (unsigned i = 0; i < spec.width; ++i) {
    unsigned bit = spec.offset + i;
    value |= uint64_t((word[bit / 8] >> (bit % 8)) & 1) << i;
  }
  return value;
}
} // namespace

TEST_P(EveryForm, RandomFieldsRoundTrip) {
  Form form = GetParam();
  const FormSpec &spec = formSpec(form);
  std::mt19937_64 random(20261);
  for (int round = 0; round < 50; ++round) {
    // Exactly sized, so that a sanitizer sees any access beyond the word.
    std::vector<uint8_t> word(spec.bytes);
    std::vector<uint64_t> expected;
    for (const FieldSpec &field : spec) {
      if (field.name == Field::Reserved)
        continue;
      uint64_t value = random() & fieldMax(form, field.name);
      ASSERT_TRUE(set(form, field.name, word.data(), value));
      expected.push_back(value);
    }
    size_t next = 0;
    for (const FieldSpec &field : spec) {
      uint64_t bits = field.width <= 64 ? bitsOneByOne(word.data(), field) : 0;
      if (field.name == Field::Reserved) {
        EXPECT_EQ(bits, 0u) << "reserved bits at " << field.offset;
        continue;
      }
      EXPECT_EQ(bits, expected[next]) << fieldName(field.name);
      EXPECT_EQ(get(form, field.name, word.data()), expected[next])
          << fieldName(field.name);
      ++next;
    }
  }
}

TEST_P(EveryForm, RefusesValuesThatDoNotFit) {
  Form form = GetParam();
  std::vector<uint8_t> word(formSpec(form).bytes);
  for (const FieldSpec &field : formSpec(form)) {
    if (field.name == Field::Reserved || field.width == 64)
      continue;
    EXPECT_FALSE(
        set(form, field.name, word.data(), fieldMax(form, field.name) + 1));
  }
  EXPECT_EQ(word, std::vector<uint8_t>(formSpec(form).bytes));
}

INSTANTIATE_TEST_SUITE_P(Isa, EveryForm, testing::ValuesIn(allForms()),
                         [](const auto &info) {
                           return std::string(formSpec(info.param).name);
                         });

TEST(Isa, TypedAccessEqualsDynamicAccess) {
  uint8_t word[64] = {};
  set<Form::sAR, Field::opd2_addr>(word, 0x123456);
  set<Form::sAR, Field::res0_w>(word, 65535);
  EXPECT_EQ((get<Form::sAR, Field::opd2_addr>(word)), 0x123456u);
  EXPECT_EQ(get(Form::sAR, Field::res0_w, word), 65535u);
}

TEST(Isa, AbsentFieldIsNotReadable) {
  uint8_t word[16] = {};
  EXPECT_FALSE(hasField(Form::SYSID, Field::opd0_addr));
  EXPECT_EQ(get(Form::SYSID, Field::opd0_addr, word), std::nullopt);
  EXPECT_FALSE(set(Form::SYSID, Field::opd0_addr, word, 1));
}

TEST(Isa, NamesResolveBothWays) {
  for (size_t i = 0; i < kFieldCount; ++i) {
    Field field = static_cast<Field>(i);
    EXPECT_EQ(fieldByName(fieldName(field)), field);
  }
  EXPECT_EQ(fieldByName("reserved"), std::nullopt);
  EXPECT_EQ(fieldByName("nothing"), std::nullopt);
}

TEST(Chips, Bm1684xNumbersAgreeWithEachOther) {
  const Chip *chip = chips::find("bm1684x");
  ASSERT_NE(chip, nullptr);
  EXPECT_EQ(chip, chips::find("BM1684X"));
  EXPECT_EQ(chip->laneBytes / chip->banks, 16384u);
  EXPECT_EQ(chip->localMemoryBytes(), 16u << 20);
  EXPECT_LE(chip->globalMemoryBase + chip->globalMemoryBytes, chip->addressEnd);
  EXPECT_EQ(chips::largestShape(), chip->maxShape);
  EXPECT_EQ(chip->localMemoryBase + chip->localMemoryBytes(),
            chip->staticMemoryBase);
  EXPECT_EQ(chip->channelPack(32), 1u);
  EXPECT_EQ(chip->channelPack(16), 32u);
  EXPECT_EQ(chip->channelPack(8), 64u);
  // The end command takes an id too.
  EXPECT_LT(chip->maxGroupCommands + 1, fieldMax(Form::sAR, Field::cmd_id));
  EXPECT_EQ(chips::find("bm1684y"), nullptr);
}
