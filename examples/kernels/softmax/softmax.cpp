//===- softmax.cpp - softmax of rows of any length ------------------------===//
//
// out = exp(in - max) / sum(exp(in - max)), maximum and sum over a row; fp16,
// bf16 or fp32 in memory, fp32 inside.
//
//===----------------------------------------------------------------------===//

#include "ppl/rows.h"

#include <cmath>
#include <limits>
#include <vector>

using namespace ppl;

namespace {
template <class T>
struct Softmax {
  gtensor<T> out, in;
  RowTiling tiling;
  Softmax(T *out, T *in, int rows, int columns)
      : out({1, rows, 1, columns}, GLOBAL, out),
        in({1, rows, 1, columns}, GLOBAL, in), tiling{rows, columns} {}
};
} // namespace

// What is behind a row is no number of it: a row may be all kLowest.
static const float kNothing = -std::numeric_limits<float>::infinity(),
                   kLowest = std::numeric_limits<float>::lowest();

/// exp(x - top), which does not exceed 1; 0 for kNothing.
static tensor<float> shiftedExp(const RowTile &t, tensor<float> &x,
                                tensor<float> &top) {
  auto shifted = t.make(), e = t.make();
  tiu::fsub(shifted, x, t.beside(top));
  exp_no_overflow(e, shifted, &t.block, &t.part);
  return e;
}

template <class T>
static void finish(Softmax<T> &k, const RowTile &t, tensor<float> &e,
                   tensor<float> &sum) {
  auto factor = t.make_one(), y = t.make();
  tiu::fdiv(factor, 1.0f, sum);
  tiu::fmul(y, e, t.beside(factor));
  store_rows(t, k.out, y);
}

/// Rows that fit local memory cross DRAM once.
template <class T>
static void wholeRows(Softmax<T> &k) {
  for (int row = 0; row < k.tiling.rows; row += k.tiling.tileRows) {
    enable_pipeline();
    RowTile t = k.tiling.tile(row);
    auto x = load_rows(t, k.in, kNothing);
    auto top = pool_rows(t, x, kNothing, Pool::Max);
    auto e = shiftedExp(t, x, top);
    auto sum = pool_rows(t, e, 0.0f, Pool::Sum);
    finish(k, t, e, sum);
  }
}

/// Longer rows are read twice. The first time maximum and sum grow by a piece
/// at a time; when the maximum does, the sum so far shrinks by exp(old - new)
/// (Milakov, Gimelshein 2018).
template <class T>
static void statistics(Softmax<T> &k, int row, tensor<float> &top,
                       tensor<float> &sum) {
  tiu::fill(top, kLowest);
  tiu::fill(sum, 0.0f);
  for (int from = 0; from < k.tiling.columns; from += k.tiling.tileColumns) {
    enable_pipeline();
    RowTile t = k.tiling.tile(row, from);
    dim4 one = t.one();
    auto x = load_rows(t, k.in, kNothing);
    auto its = pool_rows(t, x, kNothing, Pool::Max);
    auto larger = t.make_one(), fall = t.make_one(), shrink = t.make_one();
    tiu::fmax(larger, its, top);
    tiu::fsub(fall, top, larger);
    exp_no_overflow(shrink, fall, &one);
    auto e = shiftedExp(t, x, larger);
    auto own = pool_rows(t, e, 0.0f, Pool::Sum);
    tiu::fmul(sum, sum, shrink);
    tiu::fadd(sum, sum, own);
    tiu::move(top, larger);
  }
}

template <class T>
static void piecesOfRows(Softmax<T> &k) {
  for (int row = 0; row < k.tiling.rows; ++row) {
    RowTile rows = k.tiling.tile(row);
    auto top = rows.make_one(), sum = rows.make_one();
    statistics(k, row, top, sum);
    for (int from = 0; from < k.tiling.columns; from += k.tiling.tileColumns) {
      enable_pipeline();
      RowTile t = k.tiling.tile(row, from);
      auto x = load_rows(t, k.in, kNothing);
      auto e = shiftedExp(t, x, top);
      finish(k, t, e, sum);
    }
  }
}

/// Passes by the TIU's time in the profile, a cycle for each 16 columns.
static constexpr RowWork kWork = {34, 2};

template <class T>
static void softmax(T *out, T *in, int rows, int columns) {
  assert(rows >= 1 && columns >= 1);
  Softmax<T> k(out, in, rows, columns);
  int code = attempt_rows(k, kWork, wholeRows<T>, piecesOfRows<T>);
  assert(code == 0);
}

__KERNEL__ void softmax_fp32(float *out, float *in, int rows, int columns) {
  softmax(out, in, rows, columns);
}
__KERNEL__ void softmax_fp16(fp16 *out, fp16 *in, int rows, int columns) {
  softmax(out, in, rows, columns);
}
__KERNEL__ void softmax_bf16(bf16 *out, bf16 *in, int rows, int columns) {
  softmax(out, in, rows, columns);
}

/// Spread rows in tiles that are given, whole or in pieces.
__KERNEL__ void softmax_tiled(float *out, float *in, int rows, int columns,
                              int tileRows, int tileColumns, int least) {
  Softmax<float> k(out, in, rows, columns);
  k.tiling = {rows, columns, true, tileRows, tileColumns, least};
  tileColumns < columns ? piecesOfRows(k) : wholeRows(k);
}

/// The first `masked` columns of all rows are `mask`. The result is rounded to
/// T: `half` an ulp, or `smallest` for what is below its normal numbers. In
/// fp32 an exponent of up to 16 is rounded to 2^-20, which exp makes relative;
/// sum and quotient add a few ulp.
template <class T, class Kernel>
static void check(Kernel kernel, int rows, int columns, double half,
                  double smallest, int masked = 0, float mask = 0) {
  dim4 shape = {1, rows, 1, columns};
  T *out = ppl::malloc<T>(&shape), *in = ppl::rand<T>(&shape, -8.0, 8.0);
  for (int r = 0; r < rows; ++r)
    for (int w = 0; w < masked; ++w)
      in[r * columns + w] = T(mask);
  kernel(out, in, rows, columns);
  std::vector<double> sums(rows), tops(rows, kNothing);
  auto x = [&](int r, int w) { return double(float(in[r * columns + w])); };
  for (int r = 0; r < rows; ++r) {
    for (int w = 0; w < columns; ++w)
      tops[r] = std::fmax(tops[r], x(r, w));
    for (int w = 0; w < columns; ++w)
      sums[r] += std::exp(x(r, w) - tops[r]);
  }
  expect(
      out, &shape,
      [&](int, int r, int, int w) {
        return std::exp(x(r, w) - tops[r]) / sums[r];
      },
      half + 0x1p-19, smallest);
}

__TEST__ void softmax_512x4096() {
  check<fp16>(softmax_fp16, 512, 4096, 0x1p-11, 0x1p-25);
}
__TEST__ void softmax_odd() { check<float>(softmax_fp32, 131, 77, 0, 0); }
__TEST__ void softmax_one_column() { check<float>(softmax_fp32, 65, 1, 0, 0); }
__TEST__ void softmax_bfloat() {
  check<bf16>(softmax_bf16, 70, 513, 0x1p-8, 0);
}
// Rows that are spread over the lanes: few, and more than a tile has.
__TEST__ void softmax_1x32000() {
  check<fp16>(softmax_fp16, 1, 32000, 0x1p-11, 0x1p-25);
}
__TEST__ void softmax_spread_rows() {
  check<float>(softmax_fp32, 5, 9001, 0, 0);
}
__TEST__ void softmax_65x20011() {
  check<fp16>(softmax_fp16, 65, 20011, 0x1p-11, 0x1p-25);
}
// Few rows, spread in several tiles.
__TEST__ void softmax_12x2048() {
  check<fp16>(softmax_fp16, 12, 2048, 0x1p-11, 0x1p-25);
}
// A row in one lane; in two, of which one has a column only; and in pieces, of
// which the last is a column.
__TEST__ void softmax_few_lanes() {
  for (int columns : {60, 64, 65})
    check<float>(
        [](float *out, float *in, int rows, int columns) {
          softmax_tiled(out, in, rows, columns, 2, columns, 64);
        },
        3, columns, 0, 0);
}
static void inPieces(float *out, float *in, int rows, int columns) {
  softmax_tiled(out, in, rows, columns, 1, 700, 64);
}
__TEST__ void softmax_pieces() { check<float>(inPieces, 3, 1401, 0, 0); }
// A row of more than local memory has for one.
__TEST__ void softmax_long_row() {
  check<float>(softmax_fp32, 1, 1000003, 0, 0);
}
// What is masked may be the lowest number, also in all of a row, or -inf.
__TEST__ void softmax_all_masked() {
  check<float>(softmax_fp32, 1, 32000, 0, 0, 32000, kLowest);
  check<float>(softmax_fp32, 131, 77, 0, 0, 77, kLowest);
  check<float>(inPieces, 3, 1401, 0, 0, 1401, kLowest);
  check<fp16>(softmax_fp16, 5, 9001, 0x1p-11, 0x1p-25, 9001, -65504.0f);
}
__TEST__ void softmax_masked_by_infinity() {
  check<float>(softmax_fp32, 5, 9001, 0, 0, 9000, kNothing);
  check<float>(softmax_fp32, 131, 77, 0, 0, 70, kNothing);
  check<float>(inPieces, 3, 1401, 0, 0, 800, kNothing);
}
