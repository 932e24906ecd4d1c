#include "tests/unit/runtime/ascend/Loop.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::ascend;
using namespace weft::ascend::test;

namespace {

/// Splits a wish and compares what the moves do with the loop of the wish.
void expectSameAsWish(const Nd2Nz &wish, size_t count) {
  auto moves = split(wish);
  ASSERT_TRUE(moves) << moves.status().message();
  EXPECT_EQ(moves->size(), count);
  Bytes global = noise(wish.src + wish.sourceElements() * wish.elementBytes, 3),
        l1(size_t(wish.dst + wish.spanBytes()), 0x5A);
  Bytes wanted = loop(wish, l1, global);
  for (const Nd2Nz &m : *moves) {
    EXPECT_EQ(problemOf(m), "");
    ASSERT_TRUE(run(m, memoryOf(l1), memoryOf(global)));
  }
  EXPECT_TRUE(l1 == wanted);
}

} // namespace

TEST(Split, LegalMovesStayWhole) {
  Nd2Nz m = twoMatrices();
  auto moves = split(m);
  ASSERT_TRUE(moves);
  ASSERT_EQ(moves->size(), 1u);
  EXPECT_EQ(moves->front(), m);
  m.dValue = 0;
  EXPECT_TRUE(split(m)->empty());
}

TEST(Split, TooManyMatrices) {
  expectSameAsWish(move(2, 5000, 1, 1, 1, 1, 1, 1, 16), 2);
}

TEST(Split, TooManyRows) {
  expectSameAsWish(move(1, 1, 40000, 2, 0, 2, 40000, 1, 0), 3);
}

TEST(Split, TooLongRows) {
  expectSameAsWish(move(1, 1, 2, 70000, 0, 60000, 2, 1, 0), 2);
}

TEST(Split, TooFarMatrices) {
  Nd2Nz m = move(2, 3, 4, 20, 70000, 20, 4, 1, 128);
  expectSameAsWish(m, 3);
  m.srcNdMatrixStride = 100;
  m.dstNzMatrixStride = 80000;
  expectSameAsWish(m, 3);
}

TEST(Split, TooFarRows) {
  // Rows one by one, but still all matrices at once.
  expectSameAsWish(move(4, 2, 3, 20, 40000, 70000, 3, 1, 72), 3);
  expectSameAsWish(move(4, 1, 3, 8, 0, 8, 1, 20000, 0), 3);
}

TEST(Split, TooFarBlocks) {
  expectSameAsWish(move(2, 1, 3, 40, 0, 40, 20000, 1, 0), 3);
}

TEST(Split, SeveralLimitsAtOnce) {
  expectSameAsWish(move(1, 2, 3, 70, 70000, 90000, 20000, 17000, 70016),
                   2 * 3 * 3);
}

TEST(Split, RefusesWhatNoCutMends) {
  Nd2Nz m = twoMatrices();
  m.dst = 8;
  EXPECT_EQ(split(m).status().message(),
            "dst is at byte 8 of L1; dst must be aligned to 32 bytes");
  m = twoMatrices();
  m.srcDValue = -1;
  EXPECT_EQ(split(m).status().message(),
            "srcDValue is -1, must be in [1, 2147483647]");
  m = move(2, 1 << 11, 1 << 11, 1, 70000, 70000, 1, 1, 70000);
  EXPECT_EQ(split(m).status().message(),
            "the layout takes more than 1048576 moves; move a smaller piece");
}

//===----------------------------------------------------------------------===//
// Together
//===----------------------------------------------------------------------===//

TEST(Merge, MatricesRowsAndBlocks) {
  Nd2Nz whole = twoMatrices();
  for (int axis = 0; axis < 3; ++axis) {
    Nd2Nz a = whole, b = whole;
    if (axis == 0) {
      a.ndNum = b.ndNum = 1;
      b.src = whole.sourceOf(1, 0, 0);
      b.dst = whole.placeOf(1, 0, 0);
    } else if (axis == 1) {
      a.nValue = 1;
      b.nValue = 2;
      b.src = whole.sourceOf(0, 1, 0);
      b.dst = whole.placeOf(0, 1, 0);
    } else {
      a.dValue = 16;
      b.dValue = 4;
      b.src = whole.sourceOf(0, 0, 1);
      b.dst = whole.placeOf(0, 0, 1);
    }
    auto both = merged(a, b);
    ASSERT_TRUE(both) << axis;
    EXPECT_EQ(*both, whole) << axis;
    EXPECT_FALSE(merged(b, a)) << "the order of writes is the moves'";
  }
}

TEST(Merge, KeepsApartWhatDoesNotFit) {
  Nd2Nz a = twoMatrices(), b = a;
  EXPECT_FALSE(merged(a, b)); // twice the same: would overlap
  b.src += 2 * 160;
  b.dst += 2 * 256;
  EXPECT_TRUE(merged(a, b));
  Nd2Nz c = b;
  c.src += 2; // no multiple of the stride
  EXPECT_FALSE(merged(a, c));
  c = b;
  c.sid = 1;
  EXPECT_FALSE(merged(a, c));
  c = b;
  c.dValue = 0;
  EXPECT_FALSE(merged(a, c));
  Nd2Nz most = move(2, 4095, 1, 1, 20, 1, 1, 1, 16), next = most;
  next.src += 4095 * 20 * 2;
  next.dst += 4095 * 32;
  EXPECT_FALSE(merged(most, next)); // more matrices than one move takes
}

/// Cut into single matrices, rows or blocks of any small move, everything comes
/// together again as it was.
TEST(Merge, PutsPiecesTogether) {
  Nd2Nz whole = move(2, 3, 4, 40, 170, 41, 4, 1, 192);
  std::vector<Nd2Nz> pieces;
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 4; ++j) {
      Nd2Nz row = whole;
      row.ndNum = row.nValue = 1;
      row.src = whole.sourceOf(i, j, 0);
      row.dst = whole.placeOf(i, j, 0);
      pieces.push_back(row);
    }
  std::vector<Nd2Nz> together = merged(pieces);
  ASSERT_EQ(together.size(), 1u);
  EXPECT_EQ(together.front(), whole);
}
