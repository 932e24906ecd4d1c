//===- sort.cpp - whole rows in order, and where elements were ------------===//
//
// values and indices [rows, columns] of in [rows, columns], falling or rising,
// of equal elements that with the smaller index first.
//
//===----------------------------------------------------------------------===//

#include "sort.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace ppl;

template <class T>
static void sortAll(T *values, int32 *indices, T *in, int rows, int columns,
                    bool falling) {
  assert(rows >= 1 && columns >= 1);
  dim4 all = {1, rows, 1, columns};
  gtensor<T> from(all, GLOBAL, in), to(all, GLOBAL, values);
  gtensor<int32> places(all, GLOBAL, indices);
  int code = sortRows(to, places, from, columns, TotalOrder<T>{falling});
  assert(code == 0 && "a row is too long for local memory");
}

__KERNEL__ void sort_fp32(float *values, int32 *indices, float *in, int rows,
                          int columns, bool falling) {
  sortAll(values, indices, in, rows, columns, falling);
}
__KERNEL__ void sort_fp16(fp16 *values, int32 *indices, fp16 *in, int rows,
                          int columns, bool falling) {
  sortAll(values, indices, in, rows, columns, falling);
}

/// Many rows of few columns.
__KERNEL__ void sort_short_fp32(float *values, int32 *indices, float *in,
                                int rows, int columns, bool falling) {
  assert(rows >= 1 && columns >= 1);
  dim4 all = {1, rows, 1, columns};
  gtensor<float> from(all, GLOBAL, in), to(all, GLOBAL, values);
  gtensor<int32> places(all, GLOBAL, indices);
  int code =
      sortShortRows(to, places, from, columns, TotalOrder<float>{falling});
  assert(code == 0 && "a row is too long for local memory");
}

/// Exact, so that nothing is tolerated. `steps` distinct numbers make ties.
template <class T, class Kernel>
static void check(Kernel kernel, int rows, int columns, bool falling,
                  int steps) {
  dim4 shape = {1, rows, 1, columns};
  T *values = ppl::malloc<T>(&shape), *in = ppl::rand<T>(&shape, -1.0, 1.0);
  int32 *indices = ppl::malloc<int32>(&shape);
  for (int i = 0; steps && i < rows * columns; ++i)
    in[i] = T(std::floor(float(in[i]) * float(steps)));
  kernel(values, indices, in, rows, columns, falling);
  std::vector<int> order(size_t(rows) * columns);
  for (int r = 0; r < rows; ++r) {
    auto begin = order.begin() + r * columns;
    for (int i = 0; i < columns; ++i)
      begin[i] = i;
    std::stable_sort(begin, begin + columns, [&](int a, int b) {
      float x = float(in[r * columns + a]), y = float(in[r * columns + b]);
      return falling ? x > y : x < y;
    });
  }
  expect(indices, &shape,
         [&](int, int r, int, int j) { return order[r * columns + j]; });
  expect(values, &shape, [&](int, int r, int, int j) {
    return float(in[r * columns + order[r * columns + j]]);
  });
}

__TEST__ void sort_4x16000() { check<float>(sort_fp32, 4, 16000, true, 0); }
__TEST__ void sort_ties() { check<float>(sort_fp32, 3, 1001, true, 7); }
__TEST__ void sort_rising() { check<fp16>(sort_fp16, 5, 700, false, 40); }
__TEST__ void sort_many_rows() { check<float>(sort_fp32, 70, 133, true, 0); }
__TEST__ void sort_short() { check<float>(sort_fp32, 3, 2, false, 0); }
__TEST__ void sort_one() { check<float>(sort_fp32, 2, 1, true, 0); }
__TEST__ void sort_long_row() {
  check<float>(sort_fp32, 1, 100003, true, 9000);
}
__TEST__ void sort_short_rows() {
  check<float>(sort_short_fp32, 1000, 21, true, 9);
}
__TEST__ void sort_shortest_rows() {
  check<float>(sort_short_fp32, 65, 2, false, 3);
}
__TEST__ void sort_4096x64() {
  check<float>(sort_short_fp32, 4096, 64, true, 0);
}
// As IEEE 754's total order has them, which is also that of the integers with
// their bits: none of these changes.
template <class T, class Bits, class Kernel>
static void checkSpecial(Kernel kernel, const std::vector<Bits> &order,
                         bool falling) {
  const int count = int(order.size());
  dim4 shape = {1, 1, 1, count};
  Bits *values = ppl::malloc<Bits>(&shape), *in = ppl::malloc<Bits>(&shape);
  int32 *indices = ppl::malloc<int32>(&shape);
  auto place = [=](int rank) { return (rank * 5 + 3) % count; };
  auto wanted = [=](int i) { return falling ? i : count - 1 - i; };
  for (int rank = 0; rank < count; ++rank)
    in[place(rank)] = order[rank];
  kernel(reinterpret_cast<T *>(values), indices, reinterpret_cast<T *>(in), 1,
         count, falling);
  expect(indices, &shape, [=](int64_t i) { return place(wanted(int(i))); });
  expect(values, &shape,
         [=](int64_t i) { return double(order[wanted(int(i))]); });
}
// NaN, infinity, a large number, 1, a subnormal, zeros, and their negatives.
// The casts of fp16 make one NaN of all.
static const std::vector<uint32> kFloats = {
    0x7fc00000, 0x7f800000, 0x7f7fffff, 0x3f800000, 0x000116c2, 0x00000000,
    0x80000000, 0x800116c2, 0xbf800000, 0xff7fffff, 0xff800000, 0xffc00000};
static const std::vector<uint16> kHalves = {0x7fff, 0x7c00, 0x7bff, 0x3c00,
                                            0x0003, 0x0000, 0x8000, 0x8003,
                                            0xbc00, 0xfbff, 0xfc00, 0xffff};
__TEST__ void sort_special() { checkSpecial<float>(sort_fp32, kFloats, true); }
__TEST__ void sort_special_rising() {
  checkSpecial<float>(sort_fp32, kFloats, false);
}
__TEST__ void sort_special_fp16() {
  checkSpecial<fp16>(sort_fp16, kHalves, true);
}
__TEST__ void sort_special_fp16_rising() {
  checkSpecial<fp16>(sort_fp16, kHalves, false);
}
