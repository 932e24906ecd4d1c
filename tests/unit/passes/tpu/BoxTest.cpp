//===- BoxTest.cpp - arithmetic of slices ---------------------------------===//

#include "dialects/tpu/Box.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace weft::tpu;

TEST(SliceOfAxis, SlicesCoverTheAxisExactlyAndEvenly) {
  for (int64_t size = 1; size <= 70; ++size)
    for (int64_t count = 1; count <= size; ++count) {
      int64_t next = 0, shortest = size, longest = 0;
      for (int64_t i = 0; i < count; ++i) {
        SliceRange range = sliceOfAxis(size, count, i);
        EXPECT_EQ(range.begin, next);
        next = range.begin + range.length;
        shortest = std::min(shortest, range.length);
        longest = std::max(longest, range.length);
      }
      EXPECT_EQ(next, size);
      EXPECT_LE(longest - shortest, 1);
    }
}

TEST(SliceOfAxis, GranulesStayWhole) {
  int64_t next = 0;
  for (int64_t i = 0; i < 3; ++i) {
    SliceRange range = sliceOfAxis(200, 3, i, 64);
    EXPECT_EQ(range.begin % 64, 0);
    EXPECT_EQ(range.begin, next);
    next += range.length;
  }
  EXPECT_EQ(next, 200);
}

/// Reference: every input row that some output row of the range reads.
TEST(WindowInput, IsTheSmallestRangeThatEveryOutputReads) {
  const int64_t size = 13;
  for (int64_t kernel : {1, 2, 3, 5})
    for (int64_t stride : {1, 2, 3})
      for (int64_t dilation : {1, 2})
        for (int64_t pad : {0, 1, 2}) {
          if (pad >= kernel)
            continue; // a window that lies in the padding altogether has no
                      // input at all
          Window1D window{kernel, stride, dilation, pad};
          int64_t room = size + 2 * pad - window.extent();
          for (int64_t first = 0; room >= 0 && first <= room / stride; ++first)
            for (int64_t count = 1; first + count - 1 <= room / stride;
                 ++count) {
              int64_t low = size, high = -1;
              for (int64_t o = first; o < first + count; ++o)
                for (int64_t k = 0; k < kernel; ++k) {
                  int64_t row = o * stride - pad + k * dilation;
                  if (row < 0 || row >= size)
                    continue;
                  low = std::min(low, row);
                  high = std::max(high, row);
                }
              WindowRange range = windowInput(window, first, count, size);
              ASSERT_EQ(range.padBegin + range.size + range.padEnd,
                        (count - 1) * stride + window.extent());
              if (high < 0)
                continue;
              // Dilation may leave rows between the last tap and the end of the
              // window unread; never outside it.
              ASSERT_LE(range.offset, low);
              ASSERT_GE(range.offset + range.size, high + 1);
              if (dilation == 1) {
                ASSERT_EQ(range.offset, low);
                ASSERT_EQ(range.offset + range.size, high + 1);
              }
            }
        }
}

TEST(Hull, HoldsBothAndIgnoresEmptyBoxes) {
  Box a{{0, 0, 2, 0}, {1, 4, 3, 5}}, b{{0, 2, 4, 0}, {1, 4, 6, 2}}, none;
  Box both = hull(a, b);
  EXPECT_TRUE(both.contains(a));
  EXPECT_TRUE(both.contains(b));
  EXPECT_EQ(both, (Box{{0, 0, 2, 0}, {1, 6, 8, 5}}));
  EXPECT_EQ(hull(a, none), a);
  EXPECT_EQ(hull(none, b), b);
}
