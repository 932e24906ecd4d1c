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
