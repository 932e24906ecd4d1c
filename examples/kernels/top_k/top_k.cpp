//===- top_k.cpp - the largest elements of rows, and where they stand -----===//
//
// values [rows, k] and indices [rows, k] of in [rows, columns], the largest (or
// smallest) first, of equal ones that with the smaller index first.
//
//===----------------------------------------------------------------------===//

#include "top_k.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace ppl;

template <class T>
static void top(T *values, int32 *indices, T *in, int rows, int columns, int k,
                bool largest) {
  assert(rows >= 1 && k >= 1 && k <= columns);
  dim4 all = {1, rows, 1, columns}, some = {1, rows, 1, k};
  gtensor<T> from(all, GLOBAL, in), to(some, GLOBAL, values);
  gtensor<int32> places(some, GLOBAL, indices);
  int code = topRows(to, places, from, k, TotalOrder<T>{largest});
  assert(code == 0 && "k is too large for local memory");
}

__KERNEL__ void top_k_fp32(float *values, int32 *indices, float *in, int rows,
                           int columns, int k, bool largest) {
  top(values, indices, in, rows, columns, k, largest);
}
__KERNEL__ void top_k_fp16(fp16 *values, int32 *indices, fp16 *in, int rows,
                           int columns, int k, bool largest) {
  top(values, indices, in, rows, columns, k, largest);
}

/// Exact, so that nothing is tolerated. `steps` distinct numbers make ties.
template <class T, class Kernel>
static void check(Kernel kernel, int rows, int columns, int k, bool largest,
                  int steps) {
  dim4 shape = {1, rows, 1, columns}, best = {1, rows, 1, k};
  T *values = ppl::malloc<T>(&best), *in = ppl::rand<T>(&shape, -1.0, 1.0);
  int32 *indices = ppl::malloc<int32>(&best);
  for (int i = 0; steps && i < rows * columns; ++i)
    in[i] = T(std::floor(float(in[i]) * float(steps)));
  kernel(values, indices, in, rows, columns, k, largest);
  std::vector<int> order(size_t(rows) * columns);
  for (int r = 0; r < rows; ++r) {
    auto begin = order.begin() + r * columns;
    for (int i = 0; i < columns; ++i)
      begin[i] = i;
    std::stable_sort(begin, begin + columns, [&](int a, int b) {
      float x = float(in[r * columns + a]), y = float(in[r * columns + b]);
      return largest ? x > y : x < y;
    });
  }
  expect(indices, &best,
         [&](int, int r, int, int j) { return order[r * columns + j]; });
  expect(values, &best, [&](int, int r, int, int j) {
    return float(in[r * columns + order[r * columns + j]]);
  });
}

__TEST__ void top_k_4x16000() {
  check<float>(top_k_fp32, 4, 16000, 50, true, 0);
}
__TEST__ void top_k_ties() { check<float>(top_k_fp32, 3, 1001, 37, true, 5); }
__TEST__ void top_k_smallest() {
  check<float>(top_k_fp32, 5, 700, 9, false, 40);
}
__TEST__ void top_k_many_rows() {
  check<fp16>(top_k_fp16, 70, 333, 5, true, 0);
}
__TEST__ void top_k_one() { check<float>(top_k_fp32, 1, 5000, 1, true, 0); }
__TEST__ void top_k_all() { check<float>(top_k_fp32, 2, 100, 100, true, 30); }
__TEST__ void top_k_short() { check<float>(top_k_fp32, 7, 3, 2, false, 0); }
__TEST__ void top_k_long_row() {
  check<float>(top_k_fp32, 1, 100003, 20, true, 900);
}
__TEST__ void top_k_large() {
  check<float>(top_k_fp32, 2, 3000, 1100, true, 200);
}
// Lists so large that rows go one after the other.
__TEST__ void top_k_largest() {
  check<float>(top_k_fp32, 5, 4099, 4096, true, 200);
}
// As IEEE 754's total order has them, which is also that of the integers with
// their bits: each is found where it was hidden, and none of its bits changes.
// The smallest of them first if `largest` is false.
template <class T, class Bits, class Kernel>
static void checkSpecial(Kernel kernel, const std::vector<Bits> &falling,
                         Bits most, Bits least, bool largest) {
  const int columns = 500, count = int(falling.size()), k = count - 1;
  dim4 shape = {1, 1, 1, columns}, best = {1, 1, 1, k};
  Bits *values = ppl::malloc<Bits>(&best), *in = ppl::malloc<Bits>(&shape);
  int32 *indices = ppl::malloc<int32>(&best);
  for (int i = 0; i < columns; ++i)
    in[i] = largest ? least : most;
  auto hidden = [](int rank) { return (rank * 211 + 17) % columns; };
  auto wanted = [=](int i) { return largest ? i : count - 1 - i; };
  for (int rank = 0; rank < count; ++rank)
    in[hidden(rank)] = falling[rank];
  kernel(reinterpret_cast<T *>(values), indices, reinterpret_cast<T *>(in), 1,
         columns, k, largest);
  expect(indices, &best, [=](int64_t i) { return hidden(wanted(int(i))); });
  expect(values, &best,
         [=](int64_t i) { return double(falling[wanted(int(i))]); });
}
// NaN, infinity, a large number, 1, a subnormal, zeros, and their negatives.
// The casts of fp16 make one NaN of all.
static const std::vector<uint32> kFloats = {
    0x7fc00000, 0x7f800000, 0x7f7fffff, 0x3f800000, 0x000116c2, 0x00000000,
    0x80000000, 0x800116c2, 0xbf800000, 0xff7fffff, 0xff800000, 0xffc00000};
static const std::vector<uint16> kHalves = {0x7fff, 0x7c00, 0x7bff, 0x3c00,
                                            0x0003, 0x0000, 0x8000, 0x8003,
                                            0xbc00, 0xfbff, 0xfc00, 0xffff};
__TEST__ void top_k_special() {
  checkSpecial<float>(top_k_fp32, kFloats, uint32(0x7fc00001),
                      uint32(0xffc00001), true);
}
__TEST__ void top_k_special_smallest() {
  checkSpecial<float>(top_k_fp32, kFloats, uint32(0x7fc00001),
                      uint32(0xffc00001), false);
}
__TEST__ void top_k_special_fp16() {
  checkSpecial<fp16>(top_k_fp16, kHalves, uint16(0x7fff), uint16(0xffff), true);
}
__TEST__ void top_k_special_fp16_smallest() {
  checkSpecial<fp16>(top_k_fp16, kHalves, uint16(0x7fff), uint16(0xffff),
                     false);
}
