//===- PrecisionTableTest.cpp - precisions of single ops as text ----------===//

#include "passes/quantize/PrecisionTable.h"

#include "gtest/gtest.h"

using namespace weft::quantize;

static std::string errorOf(llvm::StringRef text) {
  llvm::Expected<PrecisionTable> table = PrecisionTable::parse(text, "t.yaml");
  return table ? "" : llvm::toString(table.takeError());
}

TEST(PrecisionTable, TextBecomesTheSameTable) {
  PrecisionTable table;
  table.entries = {{"/head/Conv: \"a\" #1", Precision::F32},
                   {"conv2d_0.tmp_0", Precision::F16},
                   {"true", Precision::I8}};
  std::string text = table.str("chosen by weft\nin two lines");
  EXPECT_EQ(text.rfind("# chosen by weft\n# in two lines\nops:\n", 0), 0u);
  llvm::Expected<PrecisionTable> back = PrecisionTable::parse(text, "t.yaml");
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  ASSERT_EQ(back->entries.size(), table.entries.size());
  for (size_t i = 0; i < table.entries.size(); ++i) {
    EXPECT_EQ(back->entries[i].name, table.entries[i].name);
    EXPECT_EQ(back->entries[i].precision, table.entries[i].precision);
  }
}

TEST(PrecisionTable, AnEmptyTableIsOne) {
  llvm::Expected<PrecisionTable> table =
      PrecisionTable::parse(PrecisionTable().str(), "t.yaml");
  ASSERT_TRUE(bool(table)) << llvm::toString(table.takeError());
  EXPECT_TRUE(table->entries.empty());
}

TEST(PrecisionTable, MayBeOfAWholeProgram) {
  PrecisionTable half;
  half.whole = Precision::F16;
  EXPECT_EQ(half.str("why"), "# why\nprecision: f16\n");
  llvm::Expected<PrecisionTable> back =
      PrecisionTable::parse(half.str(), "t.yaml");
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(back->whole, Precision::F16);
  EXPECT_EQ(half.programOf(Precision::I8), Precision::F16);
  EXPECT_EQ(half.programOf(Precision::BF16), std::nullopt);
  EXPECT_EQ(PrecisionTable().programOf(Precision::BF16), Precision::BF16);
  EXPECT_EQ(errorOf("precision: f17\n"),
            "t.yaml:1: a precision is f32, f16, bf16, int8, w8f16 or w4f16");
  EXPECT_EQ(
      errorOf("precision: f16\nops: {}\n"),
      "t.yaml:2: only one mapping `ops`, or `precision` in its place, may "
      "stand here");
}

TEST(PrecisionTable, ErrorsNameTheLine) {
  EXPECT_EQ(errorOf("ops:\n  a: f16\n  b: int4\n"),
            "t.yaml:3: a precision is f32, f16, bf16, int8, w8f16 or w4f16");
  EXPECT_EQ(errorOf("ops:\n  a: f16\n  a: f32\n"),
            "t.yaml:3: 'a' is given twice");
  EXPECT_EQ(errorOf("operations:\n  a: f16\n").rfind("t.yaml:1: ", 0), 0u);
  EXPECT_EQ(errorOf("- a\n").rfind("t.yaml:1: ", 0), 0u);
  EXPECT_NE(errorOf(""), "");
  // Nested deeper than a stack: nobody asks for what is inside.
  EXPECT_NE(errorOf("ops: " + std::string(300000, '[')), "");
  std::string maps;
  for (int i = 0; i < 200000; ++i)
    maps += "{a: ";
  EXPECT_NE(errorOf("ops: " + maps), "");
  EXPECT_NE(errorOf("ops: {a: [f16]}\n"), "");
}
