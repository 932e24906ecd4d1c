#include "tests/unit/runtime/ascend/Loop.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::ascend;
using namespace weft::ascend::test;

namespace {

/// What a block of L1 must hold: elements `first` .. with `count` of them, then
/// zeros; nothing: the old content.
struct BlockContent {
  int64_t first, count;
};
constexpr BlockContent kOld = {-1, 0};
constexpr uint8_t kMarker = 0xA5;

void expectBlocks(const Nd2Nz &m, int64_t sourceElements,
                  const std::vector<BlockContent> &blocks) {
  Bytes global = counting(sourceElements, m.elementBytes);
  Bytes l1(blocks.size() * 32, kMarker);
  rt::Status status = run(m, memoryOf(l1), memoryOf(global));
  ASSERT_TRUE(status) << status.message();
  int64_t c0 = m.blockElements();
  for (size_t b = 0; b < blocks.size(); ++b)
    for (int64_t c = 0; c < c0; ++c) {
      int64_t value = element(l1, int64_t(b) * c0 + c, m.elementBytes);
      int64_t old = 0;
      for (int64_t byte = 0; byte < m.elementBytes; ++byte)
        old |= int64_t(kMarker) << 8 * byte;
      int64_t wanted = blocks[b].first < 0   ? old
                       : c < blocks[b].count ? blocks[b].first + c
                                             : 0;
      EXPECT_EQ(value, wanted) << "block " << b << " lane " << c;
    }
}

} // namespace

TEST(Move, TwoMatricesWithTailsAndAnUnwrittenRow) {
  Nd2Nz m = twoMatrices();
  EXPECT_EQ(m.sourceElements(), 148);
  EXPECT_EQ(m.spanBytes(), 480);
  EXPECT_EQ(m.writtenBytes(), 12 * 32);
  EXPECT_EQ(m.readBytes(), 2 * 3 * 20 * 2);
  expectBlocks(m, 200,
               {{0, 16},
                {24, 16},
                {48, 16},
                kOld,
                {16, 4},
                {40, 4},
                {64, 4},
                kOld,
                {80, 16},
                {104, 16},
                {128, 16},
                kOld,
                {96, 4},
                {120, 4},
                {144, 4}});
}

TEST(Move, WeightsOfEightBits) { // N,H,W,C = 2,1,2,40 to C1HWNC0
  Nd2Nz m = move(1, 2, 2, 40, 80, 40, 4, 2, 32);
  EXPECT_EQ(m.spanBytes(), 256);
  EXPECT_EQ(m.writtenBytes(), 256);
  expectBlocks(m, 160,
               {{0, 32},
                {80, 32},
                {40, 32},
                {120, 32},
                {32, 8},
                {112, 8},
                {72, 8},
                {152, 8}});
}

TEST(Move, FeatureMapOfThirtyTwoBits) { // N,H,W,C = 2,2,1,11 to NC1HWC0
  expectBlocks(
      move(4, 2, 2, 11, 22, 11, 2, 1, 32), 44,
      {{0, 8}, {11, 8}, {8, 3}, {19, 3}, {22, 8}, {33, 8}, {30, 3}, {41, 3}});
}

TEST(Move, FootprintsOfPublicParameterSets) {
  struct Row {
    Nd2Nz m;
    int64_t sourceElements, spanElements, writtenElements;
  };
  const Row rows[] = {
      {move(1, 2, 4, 24, 144, 48, 11, 2, 96), 312, 320, 256},
      {move(2, 1, 16, 23, 0, 32, 16, 1, 0), 503, 512, 512},
      {move(2, 2, 8, 23, 384, 32, 37, 2, 320), 631, 1152, 512},
      {move(2, 1, 40, 56, 0, 56, 48, 1, 0), 2240, 2944, 2560},
  };
  for (const Row &row : rows) {
    EXPECT_EQ(row.m.sourceElements(), row.sourceElements) << text(row.m);
    EXPECT_EQ(row.m.spanBytes(), row.spanElements * row.m.elementBytes);
    EXPECT_EQ(row.m.writtenBytes(), row.writtenElements * row.m.elementBytes);
    EXPECT_EQ(problemOf(row.m), "");
    Bytes global = noise(row.sourceElements * row.m.elementBytes, 7),
          l1 = noise(row.m.spanBytes(), 8);
    Bytes wanted = loop(row.m, l1, global);
    ASSERT_TRUE(run(row.m, memoryOf(l1), memoryOf(global)));
    EXPECT_EQ(l1, wanted);
  }
}

TEST(Move, WovenMatricesAreLegal) { // the first public set: blocks 3, 6 ..
  EXPECT_TRUE(blocksAreApart(move(1, 2, 4, 24, 144, 48, 11, 2, 96)));
}

TEST(Move, EveryRuleHasItsMessage) {
  struct Row {
    int64_t Nd2Nz::*parameter;
    int64_t value;
    const char *message;
  };
  const Row rows[] = {
      {&Nd2Nz::ndNum, 4096,
       "ndNum is 4096, must be in [0, 4095]; the document gives no other "
       "numbers"},
      {&Nd2Nz::nValue, 16385,
       "nValue is 16385, must be in [0, 16384]; the document gives no other "
       "numbers"},
      {&Nd2Nz::dValue, 65536,
       "dValue is 65536, must be in [0, 65535]; the document gives no other "
       "numbers"},
      {&Nd2Nz::srcDValue, 0,
       "srcDValue is 0, must be in [1, 65535]; the document gives no other "
       "numbers"},
      {&Nd2Nz::dstNzC0Stride, 16385,
       "dstNzC0Stride is 16385, must be in [1, 16384]; the document gives no "
       "other numbers"},
      {&Nd2Nz::sid, 256,
       "sid is 256, must be in [0, 255]; the document gives no other numbers"},
      {&Nd2Nz::dstNzMatrixStride, 0,
       "dstNzMatrixStride is 0 with 2 matrices; dstNzMatrixStride must be in "
       "[1, 65535] if ndNum > 1"},
      {&Nd2Nz::dstNzMatrixStride, 120,
       "dstNzMatrixStride is 120 elements, 240 bytes; with ndNum > 1 "
       "dstNzMatrixStride must be a multiple of 32 bytes, so that matrices "
       "start on blocks"},
      {&Nd2Nz::dst, 16,
       "dst is at byte 16 of L1; dst must be aligned to 32 bytes"},
      {&Nd2Nz::src, 3,
       "src is at byte 3 with elements of 2 bytes; src must be aligned to its "
       "element"},
      {&Nd2Nz::dst, 64,
       "the blocks end at byte 544, the buffer in L1 at byte 512; every block "
       "must lie in L1"},
      {&Nd2Nz::src, 106,
       "the rows end at byte 402, the source at byte 400; every element that "
       "is read must lie in the source"},
      {&Nd2Nz::src, -2,
       "the rows start at byte -2; every element that is read must lie in the "
       "source"},
      {&Nd2Nz::dstNzC0Stride, 2,
       "blocks (0, 0, 1) and (0, 2, 0) (matrix, row, block) both lie 64 bytes "
       "behind dst; the blocks of one move must not overlap, since the order "
       "of writes is not determined"},
  };
  Room room{400, 512};
  EXPECT_EQ(problemOf(twoMatrices(), room), "");
  for (const Row &row : rows) {
    Nd2Nz m = twoMatrices();
    m.*row.parameter = row.value;
    EXPECT_EQ(problemOf(m, room), row.message);
    Bytes global(400), l1(512, kMarker), before = l1;
    EXPECT_FALSE(run(m, memoryOf(l1), memoryOf(global)));
    EXPECT_EQ(l1, before);
  }
  Nd2Nz wide = twoMatrices();
  wide.elementBytes = 8;
  EXPECT_EQ(problemOf(wide),
            "an element has 8 bytes; there are moves for 1, 2 and 4");
}

/// All small parameters of all three widths: the loop's bytes, the same from
/// strided copies, and back; overlap as a count of blocks finds it.
TEST(Move, EverySmallMoveIsTheLoop) {
  int64_t legal = 0, woven = 0;
  for (int64_t es : {1, 2, 4})
    for (int64_t nd = 1; nd <= 3; ++nd)
      for (int64_t n = 1; n <= 3; ++n)
        for (int64_t d : {1, 7, 8, 9, 16, 17, 31, 32, 33, 40})
          for (int64_t c0Stride = 1; c0Stride <= 5; ++c0Stride)
            for (int64_t nStride = 1; nStride <= 5; ++nStride)
              for (int64_t blocks = nd == 1 ? 0 : 1; blocks <= 7; ++blocks) {
                Nd2Nz m = move(es, nd, n, d, (d + 1) * n + 3, d + 1, c0Stride,
                               nStride, blocks * 32 / es);
                m.src = es * 3;
                m.dst = 64;
                Bytes global = noise(m.src + m.sourceElements() * es, 1),
                      l1 = noise(m.dst + m.spanBytes(), 2);
                std::vector<int> writes(l1.size() / 32);
                for (int64_t i = 0; i < nd; ++i)
                  for (int64_t j = 0; j < n; ++j)
                    for (int64_t k = 0; k < m.rowBlocks(); ++k)
                      ++writes[size_t(2 + i * blocks + j * nStride +
                                      k * c0Stride)];
                bool apart =
                    *std::max_element(writes.begin(), writes.end()) < 2;
                ASSERT_EQ(blocksAreApart(m), apart) << text(m);
                ASSERT_EQ(problemOf(m).empty(), apart) << text(m);
                if (!apart)
                  continue;
                ++legal;
                woven += blocks * 32 < (n - 1) * nStride * 32;
                Bytes wanted = loop(m, l1, global), copied = l1;
                ASSERT_TRUE(run(m, memoryOf(l1), memoryOf(global)));
                ASSERT_EQ(l1, wanted) << text(m);
                for (const StridedCopy &copy : stridedCopies(m))
                  ASSERT_TRUE(run(copy, m.dst, m.src, memoryOf(copied),
                                  memoryOf(global)));
                ASSERT_EQ(copied, wanted) << text(m);
                Bytes back = global;
                for (uint8_t &byte : back)
                  byte ^= 0xFF;
                ASSERT_TRUE(inverse(m, memoryOf(l1), memoryOf(back)));
                for (int64_t i = 0; i < nd; ++i)
                  for (int64_t j = 0; j < n; ++j)
                    for (int64_t b = 0; b < d * es; ++b) {
                      size_t at = size_t(m.sourceOf(i, j, 0) + b);
                      ASSERT_EQ(back[at], global[at]);
                      back[at] = uint8_t(~global[at]);
                    }
                for (size_t at = 0; at < back.size(); ++at)
                  ASSERT_EQ(back[at], uint8_t(~global[at])) << "gap changed";
              }
  EXPECT_GT(legal, 10000);
  EXPECT_GT(woven, 100);
}

/// Moves of any size that fits all of L1, at any place.
TEST(Move, RandomLargeMovesAreTheLoop) {
  uint32_t seed = 77;
  auto draw = [&](int64_t low, int64_t high) {
    seed = seed * 1664525 + 1013904223;
    return low + int64_t(seed >> 8) % (high - low + 1);
  };
  const int64_t l1Bytes = 512 * 1024;
  int64_t done = 0, largest = 0;
  for (int round = 0; round < 4000 && done < 300; ++round) {
    int64_t es = int64_t(1) << draw(0, 2), c0 = 32 / es;
    int64_t nd = draw(1, 12), n = draw(1, 200), d = draw(1, 600);
    int64_t blocks = (d * es + 31) / 32, rows = n + draw(0, 5);
    Nd2Nz m = move(es, nd, n, d, draw(0, 4000), draw(1, 2000), rows, 1,
                   blocks * rows * c0);
    if (draw(0, 1)) { // matrices beside each other, as weights lie
      m.dstNzNStride = nd;
      m.dstNzC0Stride = rows * nd;
      m.dstNzMatrixStride = c0;
    }
    if (nd == 1)
      m.srcNdMatrixStride = m.dstNzMatrixStride = 0;
    m.src = es * draw(0, 100);
    m.dst = 32 * draw(0, 100);
    Bytes global = noise(m.src + m.sourceElements() * es, uint32_t(round));
    if (!problemOf(m, {int64_t(global.size()), l1Bytes}).empty())
      continue;
    Bytes l1 = noise(l1Bytes, uint32_t(round + 1)), copied = l1, back = global;
    Bytes wanted = loop(m, l1, global);
    ASSERT_TRUE(run(m, memoryOf(l1), memoryOf(global)));
    ASSERT_TRUE(l1 == wanted) << text(m);
    for (const StridedCopy &copy : stridedCopies(m))
      ASSERT_TRUE(run(copy, m.dst, m.src, memoryOf(copied), memoryOf(global)));
    ASSERT_TRUE(copied == wanted) << text(m);
    for (int64_t i = 0; i < nd; ++i)
      for (int64_t j = 0; j < n; ++j)
        std::fill_n(back.begin() + m.sourceOf(i, j, 0), d * es, uint8_t(0));
    ASSERT_TRUE(inverse(m, memoryOf(l1), memoryOf(back)));
    ASSERT_TRUE(back == global) << text(m);
    ++done;
    largest = std::max(largest, m.writtenBytes());
  }
  EXPECT_EQ(done, 300);
  EXPECT_GT(largest, 400 * 1024);
}

TEST(Move, OverlapIsExactForAnyStrides) {
  uint32_t seed = 11;
  auto draw = [&](int64_t low, int64_t high) {
    seed = seed * 1664525 + 1013904223;
    return low + int64_t(seed >> 8) % (high - low + 1);
  };
  int apartCount = 0, total = 3000;
  for (int round = 0; round < total; ++round) {
    Nd2Nz m = move(2, draw(1, 9), draw(1, 12), draw(1, 150), 0, 1, draw(1, 40),
                   draw(1, 40), 16 * draw(1, 60));
    std::vector<int> writes(size_t(m.spanBytes() / 32));
    for (int64_t i = 0; i < m.ndNum; ++i)
      for (int64_t j = 0; j < m.nValue; ++j)
        for (int64_t k = 0; k < m.rowBlocks(); ++k)
          ++writes[size_t(m.placeOf(i, j, k) / 32)];
    bool apart = *std::max_element(writes.begin(), writes.end()) < 2;
    ASSERT_EQ(blocksAreApart(m), apart) << text(m);
    apartCount += apart;
  }
  EXPECT_GT(apartCount, 300);
  EXPECT_LT(apartCount, 2700);
}

/// The largest numbers: answered at once, without memory for what they span.
TEST(Move, OverlapOfTheLargestMoves) {
  Nd2Nz m = move(4, 4095, 16384, 65535, 65535, 65535, 16384, 16383, 65528);
  EXPECT_NE(problemOf(m), "");
  m = move(4, 4095, 16384, 8, 65535, 65535, 1, 16384, 8);
  EXPECT_EQ(problemOf(m), "");
}

TEST(Move, ReportsBytesThatAreNotDetermined) {
  Nd2Nz m = twoMatrices();
  m.dstNzC0Stride = 2;
  Bytes global = counting(200, 2), l1(480, kMarker);
  std::vector<int64_t> undetermined;
  ASSERT_TRUE(
      run(m, memoryOf(l1), memoryOf(global), Overlap::Report, &undetermined));
  EXPECT_EQ(undetermined, (std::vector<int64_t>{64, 256 + 64}));
  m.dst = 32; // other rules stay
  EXPECT_TRUE(run(m, memoryOf(l1), memoryOf(global), Overlap::Report));
  m.dst = 480;
  EXPECT_FALSE(run(m, memoryOf(l1), memoryOf(global), Overlap::Report));
}

TEST(Move, StridedCopiesStayInTheirMemories) {
  StridedCopy copy;
  copy.shape = {1, 1, 2, 8};
  copy.srcStrides = copy.dstStrides = {0, 0, 8, 1};
  Bytes global = counting(16, 2), l1(32);
  EXPECT_TRUE(run(copy, 0, 0, memoryOf(l1), memoryOf(global)));
  EXPECT_EQ(l1, global);
  auto expectRefused = [&](StridedCopy wrong, int64_t dst, int64_t src) {
    Bytes before = l1;
    EXPECT_FALSE(run(wrong, dst, src, memoryOf(l1), memoryOf(global)));
    EXPECT_EQ(l1, before);
  };
  expectRefused(copy, 2, 0);
  expectRefused(copy, 0, 2);
  expectRefused(copy, -2, 0);
  expectRefused(copy, 0, -2);
  for (auto array : {&StridedCopy::srcStrides, &StridedCopy::dstStrides}) {
    StridedCopy wrong = copy;
    (wrong.*array)[2] = -8;
    expectRefused(wrong, 0, 0);
    (wrong.*array)[2] = INT64_MAX / 2;
    expectRefused(wrong, 0, 0);
  }
  for (auto offset : {&StridedCopy::srcOffset, &StridedCopy::dstOffset}) {
    StridedCopy wrong = copy;
    wrong.*offset = -1;
    expectRefused(wrong, 0, 0);
  }
  copy.dstStrides[2] = -8; // backwards, from where there is room
  copy.dstOffset = 8;
  EXPECT_TRUE(run(copy, 0, 0, memoryOf(l1), memoryOf(global)));
  EXPECT_EQ(element(l1, 0, 2), 8);
}

TEST(Move, ElementsOfNoBytesAreRefusedEverywhere) {
  Nd2Nz m = twoMatrices();
  m.elementBytes = 0;
  Bytes global = counting(200, 2), l1(512);
  EXPECT_FALSE(run(m, memoryOf(l1), memoryOf(global)));
  EXPECT_FALSE(run(m, memoryOf(l1), memoryOf(global), Overlap::Report));
  EXPECT_FALSE(inverse(m, memoryOf(l1), memoryOf(global)));
  EXPECT_FALSE(split(m));
  EXPECT_FALSE(merged(m, m));
}

TEST(Move, Text) {
  Nd2Nz m = twoMatrices();
  m.dst = 0x200;
  m.src = 0x40;
  EXPECT_EQ(text(m),
            "copy_gm_to_cbuf_multi_nd2nz_b16 dst=0x200 src=0x40 sid=0 ndNum=2 "
            "nValue=3 dValue=20 srcNdMatrixStride=80 srcDValue=24 "
            "dstNzC0Stride=4 dstNzNStride=1 dstNzMatrixStride=128");
}
