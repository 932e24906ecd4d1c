// One test for each named choice about Ascend in
// docs/rationale/0008-two-more-operation-sets.md, under its name.

#include "runtime/catalog/Catalog.h"
#include "runtime/chips/Chips.h"
#include "tests/unit/runtime/ascend/Loop.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::ascend;
using namespace weft::ascend::test;

TEST(AscendChoices, MatrixStrideNeedsMatrices) {
  Nd2Nz m = twoMatrices();
  m.dstNzMatrixStride = 0;
  EXPECT_EQ(problemOf(m),
            "dstNzMatrixStride is 0 with 2 matrices; dstNzMatrixStride must be "
            "in [1, 65535] if ndNum > 1");
  m.ndNum = 1;
  for (int64_t stride : {0, 1, 7, 65535}) {
    m.dstNzMatrixStride = stride;
    EXPECT_EQ(problemOf(m), "");
  }
  m.dstNzMatrixStride = 65536;
  EXPECT_NE(problemOf(m), "");
}

TEST(AscendChoices, MatricesStartOnBlocks) {
  Nd2Nz m = twoMatrices();
  m.dstNzMatrixStride = 120;
  EXPECT_EQ(problemOf(m),
            "dstNzMatrixStride is 120 elements, 240 bytes; with ndNum > 1 "
            "dstNzMatrixStride must be a multiple of 32 bytes, so that "
            "matrices start on blocks");
  m.dstNzMatrixStride = 128 + 16;
  EXPECT_EQ(problemOf(m), "");
  EXPECT_EQ(problemOf(move(1, 2, 1, 8, 8, 8, 1, 1, 32)), "");
  EXPECT_NE(problemOf(move(1, 2, 1, 8, 8, 8, 1, 1, 48)), "");
  EXPECT_EQ(problemOf(move(4, 2, 1, 8, 8, 8, 1, 1, 8)), "");
  EXPECT_NE(problemOf(move(4, 2, 1, 8, 8, 8, 1, 1, 12)), "");
}

TEST(AscendChoices, SourceIsElementAligned) {
  for (int64_t bytes : {1, 2, 4})
    for (int64_t src = 0; src < 8; ++src) {
      Nd2Nz m = move(bytes, 1, 2, 8, 0, 8, 2, 1, 0);
      m.src = src;
      EXPECT_EQ(problemOf(m).empty(), src % bytes == 0);
    }
}

TEST(AscendChoices, EmptyMoveWarns) {
  for (int64_t Nd2Nz::*count :
       {&Nd2Nz::ndNum, &Nd2Nz::nValue, &Nd2Nz::dValue}) {
    Nd2Nz m = twoMatrices();
    m.*count = 0;
    m.dstNzC0Stride = 0; // of an empty move nothing is checked
    m.dst = 5;
    EXPECT_TRUE(m.isEmpty());
    EXPECT_EQ(problemOf(m), "");
    Bytes global = counting(200, 2), l1(512, 0xA5), before = l1;
    EXPECT_TRUE(run(m, memoryOf(l1), memoryOf(global)));
    EXPECT_EQ(l1, before);
  }
  Nd2Nz m = twoMatrices();
  EXPECT_EQ(warningOf(m), "");
  m.dValue = 0;
  EXPECT_EQ(warningOf(m), "dValue is 0: nothing is moved");
  m.ndNum = 0;
  EXPECT_EQ(warningOf(m), "ndNum is 0: nothing is moved");

  // The same through the catalog, numbers out of range included.
  catalog::Call call;
  call.operation = catalog::find(functionOf(2), catalog::Language::Ascend);
  call.chip = &chips::ascend_a2;
  call.arguments.resize(11);
  for (int a = 0; a < 2; ++a) {
    call.arguments[a].kind = catalog::Argument::Kind::Tensor;
    call.arguments[a].tensor.type = catalog::DataType::Fp16;
    call.arguments[a].tensor.memory =
        a ? catalog::Memory::Global : catalog::Memory::L1;
  }
  for (int a = 2; a < 11; ++a)
    call.arguments[a].kind = catalog::Argument::Kind::Integer;
  EXPECT_EQ(catalog::problemOf(call), "");
  EXPECT_EQ(call.operation->warning(call), "ndNum is 0: nothing is moved");
}

TEST(AscendChoices, CountsAreCounts) { // not elements: 2 matrices of 3 rows
  EXPECT_EQ(twoMatrices().readBytes(), 2 * 3 * 20 * 2);
  EXPECT_EQ(twoMatrices().writtenBytes(), 2 * 3 * 2 * 32);
}

TEST(AscendChoices, NoPackedForm) {
  const auto &rows = catalog::operations(catalog::Language::Ascend);
  ASSERT_EQ(rows.size(), 3u);
  size_t prototypes = 0;
  for (const catalog::Operation &row : rows) {
    EXPECT_EQ(row.slots.size(), 11u);
    prototypes += row.slots[0].types.members().size();
  }
  EXPECT_EQ(prototypes, 9u);
}

TEST(AscendChoices, SidHasNoEffect) {
  Bytes global = counting(200, 2), first;
  for (int64_t sid : {0, 1, 255}) {
    Nd2Nz m = twoMatrices();
    m.sid = sid;
    Bytes l1(480);
    ASSERT_TRUE(run(m, memoryOf(l1), memoryOf(global)));
    if (sid == 0)
      first = l1;
    EXPECT_EQ(l1, first);
  }
  Nd2Nz m = twoMatrices();
  m.sid = 256;
  EXPECT_NE(problemOf(m), "");
}

TEST(AscendChoices, SourceRowsMayOverlap) {
  Nd2Nz m = move(2, 2, 3, 16, 0, 1, 3, 1, 48); // rows one element apart, twice
  Bytes global = counting(m.sourceElements(), 2), l1(size_t(m.spanBytes()));
  EXPECT_EQ(m.sourceElements(), 18);
  ASSERT_TRUE(run(m, memoryOf(l1), memoryOf(global)));
  for (int64_t block = 0; block < 6; ++block)
    for (int64_t c = 0; c < 16; ++c)
      EXPECT_EQ(element(l1, block * 16 + c, 2), block % 3 + c);
  Bytes back(global.size());
  ASSERT_TRUE(inverse(m, memoryOf(l1), memoryOf(back)));
  EXPECT_EQ(back, global);
}

TEST(AscendChoices, OverlapIsRefused) {
  Nd2Nz m = twoMatrices();
  m.dstNzC0Stride = 2;
  EXPECT_EQ(problemOf(m),
            "blocks (0, 0, 1) and (0, 2, 0) (matrix, row, block) both lie 64 "
            "bytes behind dst; the blocks of one move must not overlap, since "
            "the order of writes is not determined");
  Bytes global = counting(200, 2), l1(480, 0xA5), before = l1;
  EXPECT_FALSE(run(m, memoryOf(l1), memoryOf(global)));
  EXPECT_EQ(l1, before);
}

TEST(AscendChoices, BeyondL1IsRefused) {
  Nd2Nz m = twoMatrices();
  EXPECT_EQ(problemOf(m, {296, 480}), "");
  EXPECT_EQ(problemOf(m, {296, 479}),
            "the blocks end at byte 480, the buffer in L1 at byte 479; every "
            "block must lie in L1");
  EXPECT_EQ(problemOf(m, {295, 480}),
            "the rows end at byte 296, the source at byte 295; every element "
            "that is read must lie in the source");
  m.dst = 512 * 1024 - 480;
  EXPECT_EQ(problemOf(m, {296, 512 * 1024}), "");
  m.dst += 32;
  EXPECT_NE(problemOf(m, {296, 512 * 1024}), "");
}

TEST(AscendChoices, BlockIs32Bytes) {
  for (int64_t bytes : {1, 2, 4}) {
    Nd2Nz m = move(bytes, 1, 1, 1, 0, 1, 1, 1, 0);
    EXPECT_EQ(m.blockElements() * bytes, 32);
    Bytes global = {1, 2, 3, 4}, l1(64, 0xA5);
    ASSERT_TRUE(run(m, memoryOf(l1), memoryOf(global)));
    for (int64_t b = 0; b < 64; ++b)
      EXPECT_EQ(l1[b], b < bytes ? b + 1 : b < 32 ? 0 : 0xA5);
  }
  EXPECT_EQ(chips::ascend_a2.cube.blockBytes, kBlockBytes);
}

TEST(AscendChoices, UnwrittenRowsStay) {
  Bytes global = counting(200, 2), l1(480, 0xA5);
  ASSERT_TRUE(run(twoMatrices(), memoryOf(l1), memoryOf(global)));
  for (int64_t block : {3, 7, 11}) // the fourth row of each column of blocks
    for (int64_t b = 0; b < 32; ++b)
      EXPECT_EQ(l1[block * 32 + b], 0xA5);
}
