#include "runtime/ascend/Layouts.h"
#include "tests/unit/runtime/ascend/Loop.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::ascend;
using namespace weft::ascend::test;

namespace {

/// The one move of a layout.
Nd2Nz onlyMove(const BlockedCopy &copy) {
  auto moves = plan(copy);
  EXPECT_TRUE(moves) << moves.status().message();
  if (!moves || moves->size() != 1) {
    ADD_FAILURE() << (moves ? moves->size() : 0) << " moves";
    return {};
  }
  EXPECT_EQ(problemOf(moves->front()), "");
  return moves->front();
}

/// L1 after the moves of a layout.
Bytes moved(const BlockedCopy &copy, const Bytes &source, int64_t size) {
  Bytes l1(size_t(size), 0xA5), global = source;
  auto moves = plan(copy);
  EXPECT_TRUE(moves) << moves.status().message();
  if (moves)
    for (const Nd2Nz &m : *moves) {
      EXPECT_EQ(problemOf(m), "") << text(m);
      EXPECT_TRUE(run(m, memoryOf(l1), memoryOf(global))) << text(m);
    }
  return l1;
}

} // namespace

TEST(Layouts, PresetsHaveTheirParameters) {
  Matrices one;
  one.rows = 40;
  one.columns = 56;
  EXPECT_EQ(onlyMove(ndToNz(one)), move(2, 1, 40, 56, 0, 56, 48, 1, 0));
  one.count = 3;
  one.rowStride = 60;
  one.matrixStride = 5000;
  EXPECT_EQ(onlyMove(ndToNz(one)),
            move(2, 3, 40, 56, 5000, 60, 48, 1, 4 * 48 * 16));

  Images images{4, 0, 0, 2, 2, 1, 11};
  EXPECT_EQ(onlyMove(nhwcToNc1hwc0(images, wholeOf(images))),
            move(4, 2, 2, 11, 22, 11, 2, 1, 32));
  Images weights{1, 0, 0, 2, 1, 2, 40};
  EXPECT_EQ(onlyMove(nhwcToC1hwnc0(weights, wholeOf(weights))),
            move(1, 2, 2, 40, 80, 40, 4, 2, 32));
  // FRACTAL_Z: 16 channels reserved for 2.
  EXPECT_EQ(onlyMove(nhwcToC1hwnc0(weights, wholeOf(weights), 16)),
            move(1, 2, 2, 40, 80, 40, 32, 16, 32));
}

TEST(Layouts, PieceOfAFeatureMapIsOneMove) {
  Images images{2, 64, 128, 2, 9, 10, 48};
  Box box{1, 3, 2, 16, 1, 4, 5, 20};
  Nd2Nz wanted = move(2, 4, 5, 20, 480, 48, 20, 1, 5 * 16);
  wanted.src = 64 + (((9 + 3) * 10 + 2) * 48 + 16) * 2;
  wanted.dst = 128;
  EXPECT_EQ(onlyMove(nhwcToNc1hwc0(images, box)), wanted);
}

TEST(Layouts, ZzHasBandsOfSixteenRows) {
  Matrices source;
  source.elementBytes = 4;
  source.rows = 37;
  source.columns = 20;
  std::vector<BlockedCopy> copies = ndToZz(source);
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(onlyMove(copies[0]), move(4, 2, 16, 20, 320, 20, 16, 1, 512));
  Nd2Nz rest = move(4, 1, 5, 20, 0, 20, 16, 1, 0);
  rest.src = 32 * 20 * 4;
  rest.dst = 2 * 512 * 4;
  EXPECT_EQ(onlyMove(copies[1]), rest);
}

/// Every element against the definition of each layout, written out.
TEST(Layouts, EveryElementOfSmallArrays) {
  int64_t checked = 0;
  for (int64_t es : {1, 2, 4})
    for (int64_t n = 1; n <= 3; ++n)
      for (int64_t h = 1; h <= 3; ++h)
        for (int64_t w = 1; w <= 3; ++w)
          for (int64_t c : {1, 5, 8, 16, 33, 40}) {
            int64_t c0 = 32 / es, c1 = (c + c0 - 1) / c0;
            Bytes source = noise(n * h * w * c * es, uint32_t(n * h + w + c));
            Images images{es, 0, 0, n, h, w, c};
            Box all = wholeOf(images);
            int64_t rows = (n * h + 15) / 16 * 16;
            Bytes nc1hwc0 = moved(nhwcToNc1hwc0(images, all), source,
                                  n * c1 * h * w * 32),
                  c1hwnc0 = moved(nhwcToC1hwnc0(images, all), source,
                                  n * c1 * h * w * 32),
                  fractalZ = moved(nhwcToC1hwnc0(images, all, 16), source,
                                   16 * c1 * h * w * 32);
            // The same bytes as w matrices of n * h rows, row pitch w * c.
            Matrices matrices{es, 0, 0, w, n * h, c, w * c, c};
            Bytes nz = moved(ndToNz(matrices), source, w * c1 * rows * 32);
            for (int64_t i = 0; i < n; ++i)
              for (int64_t y = 0; y < h; ++y)
                for (int64_t x = 0; x < w; ++x)
                  for (int64_t d = 0; d < c1 * c0; ++d) {
                    int64_t k = d / c0, lane = d % c0;
                    int64_t wanted =
                        d < c
                            ? element(source, ((i * h + y) * w + x) * c + d, es)
                            : 0;
                    ASSERT_EQ(
                        element(nc1hwc0,
                                (((i * c1 + k) * h + y) * w + x) * c0 + lane,
                                es),
                        wanted);
                    ASSERT_EQ(
                        element(c1hwnc0,
                                (((k * h + y) * w + x) * n + i) * c0 + lane,
                                es),
                        wanted);
                    ASSERT_EQ(
                        element(fractalZ,
                                (((k * h + y) * w + x) * 16 + i) * c0 + lane,
                                es),
                        wanted);
                    ASSERT_EQ(
                        element(nz,
                                ((x * c1 + k) * rows + i * h + y) * c0 + lane,
                                es),
                        wanted);
                    ++checked;
                  }
          }
  EXPECT_GT(checked, 50000);
}

TEST(Layouts, GroupsOfWholeBlocksAreLongRows) {
  // Two groups of 16 channels, N,H,W,C of 32 channels: 6 rows of 2 blocks.
  BlockedCopy copy;
  copy.axes = {{2, 16, 6}, {2, 96, 3}, {3, 32, 1}};
  copy.columns = 16;
  EXPECT_EQ(onlyMove(copy), move(2, 1, 6, 32, 0, 32, 6, 1, 0));
  // With 12 of 16 lanes there are zeros between them: two matrices.
  copy.axes = {{2, 12, 6}, {2, 72, 3}, {3, 24, 1}};
  copy.columns = 12;
  EXPECT_EQ(onlyMove(copy), move(2, 2, 6, 12, 12, 24, 1, 1, 6 * 16));
  // Pixels of one block stay rows, though they continue each other.
  Images images{2, 0, 0, 1, 5, 7, 16};
  EXPECT_EQ(onlyMove(nhwcToNc1hwc0(images, wholeOf(images))),
            move(2, 1, 35, 16, 0, 16, 1, 1, 0));
  // Groups of two blocks each, on two axes.
  copy.axes = {{3, 64, 40}, {2, 32, 20}, {5, 192, 1}};
  copy.columns = 32;
  copy.columnStride = 10;
  EXPECT_EQ(onlyMove(copy), move(2, 1, 5, 192, 0, 192, 10, 1, 0));
}

TEST(Layouts, FewestMoves) {
  // Rows that are too far apart for one matrix of rows: one matrix each.
  Images wide{2, 0, 0, 1, 4, 3000, 24};
  Box box{0, 0, 10, 0, 1, 4, 6, 24};
  auto moves = plan(nhwcToNc1hwc0(wide, box));
  ASSERT_TRUE(moves);
  EXPECT_EQ(moves->size(), 4u);
  // Three axes that do not continue each other: the shortest is the loop.
  BlockedCopy copy;
  copy.axes = {{5, 3000, 50}, {2, 1000, 20}, {7, 100, 2}};
  copy.columns = 16;
  moves = plan(copy);
  ASSERT_TRUE(moves);
  EXPECT_EQ(moves->size(), 2u);
  copy.axes[1].count = 0;
  EXPECT_TRUE(plan(copy)->empty());
  copy.axes = {};
  EXPECT_EQ(plan(copy)->size(), 1u);
}

TEST(Layouts, NumbersBeyondAnyMemoryAreRefused) {
  Images images{1, 0, 0, 1 << 30, 1 << 30, 1 << 30, 1 << 30};
  EXPECT_EQ(problemOf(images, wholeOf(images)),
            "the images take more than 2^40 bytes; move a smaller piece");
  images = {1, 0, 0, 2, 3, 4, 5};
  Box box = wholeOf(images);
  EXPECT_EQ(problemOf(images, box), "");
  box.h = 1;
  EXPECT_EQ(problemOf(images, box),
            "on axis h the box ends at 4, the images at 3");
  box.h = -1;
  EXPECT_EQ(problemOf(images, box),
            "a number of the layout is -1, must be 0 to 2^40");
  Matrices matrices;
  matrices.rows = matrices.columns = 1 << 21;
  EXPECT_EQ(problemOf(matrices),
            "the matrices take more than 2^40 bytes; move a smaller piece");
  matrices.rows = 16;
  EXPECT_EQ(problemOf(matrices), "");
  matrices.elementBytes = 3;
  EXPECT_EQ(problemOf(matrices),
            "an element has 3 bytes; there are moves for 1, 2 and 4");
}

TEST(Layouts, PlansOfTooManyMovesAreRefused) {
  BlockedCopy copy;
  copy.columns = 8;
  copy.axes = {{1 << 11, 3000, 50}, {1 << 11, 100, 7}, {1 << 11, 10, 3}};
  EXPECT_EQ(plan(copy).status().message(),
            "the layout takes 4194304 moves, at most 1048576 are planned; move "
            "a smaller piece");
  copy.axes = {{int64_t(1) << 41, 0, 0}};
  EXPECT_EQ(plan(copy).status().message(),
            "a number of the layout is 2199023255552, must be 0 to 2^40");
  copy.axes = {{4, int64_t(1) << 39, 1}};
  EXPECT_EQ(plan(copy).status().message(),
            "the layout takes more than 2^40 bytes; move a smaller piece");
}
