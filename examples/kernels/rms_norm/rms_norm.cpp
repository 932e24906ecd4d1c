//===- rms_norm.cpp - rows scaled to a mean square of 1 -------------------===//
//
// out = in / sqrt(mean(in^2) + epsilon) * gamma, the mean over a row; fp16 or
// bf16 in memory, fp32 inside.
//
//===----------------------------------------------------------------------===//

#include "ppl/rows.h"

#include <cmath>
#include <vector>

using namespace ppl;

namespace {
template <class T>
struct RmsNorm {
  gtensor<T> out, in, gamma;
  RowTiling tiling;
  float epsilon;
  RmsNorm(T *out, T *in, T *gamma, int rows, int columns, float epsilon)
      : out({1, rows, 1, columns}, GLOBAL, out),
        in({1, rows, 1, columns}, GLOBAL, in),
        gamma({1, 1, 1, columns}, GLOBAL, gamma), tiling{rows, columns},
        epsilon(epsilon) {}
};
} // namespace

/// The share of a tile in the mean square of its rows.
template <class T>
static tensor<float> meanSquare(RmsNorm<T> &k, const RowTile &t,
                                tensor<float> &x) {
  auto square = t.make();
  tiu::fmul(square, x, x);
  return pool_rows(t, square, 0.0f, Pool::Sum, 1.0f / k.tiling.columns);
}

template <class T>
static tensor<float> inverse(RmsNorm<T> &k, const RowTile &t,
                             tensor<float> &mean) {
  auto guarded = t.make_one(), factor = t.make_one();
  tiu::fadd(guarded, mean, k.epsilon);
  tiu::frsqrt(factor, guarded);
  return factor;
}

template <class T>
static void finish(RmsNorm<T> &k, const RowTile &t, tensor<float> &x,
                   const tensor<float> &factor, const tensor<float> &scale) {
  auto unit = t.make(), y = t.make();
  tiu::fmul(unit, x, t.beside(factor));
  tiu::fmul(y, unit, t.columns_of(scale));
  store_rows(t, k.out, y);
}

/// Rows that fit local memory cross DRAM once.
template <class T>
static void wholeRows(RmsNorm<T> &k) {
  auto scale = load_columns(k.tiling.tile(0), k.gamma);
  for (int row = 0; row < k.tiling.rows; row += k.tiling.tileRows) {
    enable_pipeline();
    RowTile t = k.tiling.tile(row);
    auto x = load_rows(t, k.in, 0.0f);
    auto mean = meanSquare(k, t, x);
    finish(k, t, x, inverse(k, t, mean), scale);
  }
}

/// Longer rows are read twice: for the sum and for the result.
template <class T>
static void piecesOfRows(RmsNorm<T> &k) {
  for (int row = 0; row < k.tiling.rows; ++row) {
    RowTile rows = k.tiling.tile(row);
    auto mean = rows.make_one();
    tiu::fill(mean, 0.0f);
    for (int from = 0; from < k.tiling.columns; from += k.tiling.tileColumns) {
      enable_pipeline();
      RowTile t = k.tiling.tile(row, from);
      auto x = load_rows(t, k.in, 0.0f);
      tiu::fadd(mean, mean, meanSquare(k, t, x));
    }
    auto factor = inverse(k, rows, mean);
    for (int from = 0; from < k.tiling.columns; from += k.tiling.tileColumns) {
      enable_pipeline();
      RowTile t = k.tiling.tile(row, from);
      auto x = load_rows(t, k.in, 0.0f);
      finish(k, t, x, factor, load_columns(t, k.gamma));
    }
  }
}

/// Passes by the TIU's time in the profile, a cycle for each 16 columns.
static constexpr RowWork kWork = {6, 1};

template <class T>
static void normalize(T *out, T *in, T *gamma, int rows, int columns,
                      float epsilon) {
  assert(rows >= 1 && columns >= 1);
  RmsNorm<T> k(out, in, gamma, rows, columns, epsilon);
  int code = attempt_rows(k, kWork, wholeRows<T>, piecesOfRows<T>);
  assert(code == 0);
}

__KERNEL__ void rms_norm_fp16(fp16 *out, fp16 *in, fp16 *gamma, int rows,
                              int columns, float epsilon) {
  normalize(out, in, gamma, rows, columns, epsilon);
}
__KERNEL__ void rms_norm_bf16(bf16 *out, bf16 *in, bf16 *gamma, int rows,
                              int columns, float epsilon) {
  normalize(out, in, gamma, rows, columns, epsilon);
}

/// Spread rows in tiles that are given, whole or in pieces.
__KERNEL__ void rms_norm_tiled(fp16 *out, fp16 *in, fp16 *gamma, int rows,
                               int columns, float epsilon, int tileRows,
                               int tileColumns, int least) {
  RmsNorm<fp16> k(out, in, gamma, rows, columns, epsilon);
  k.tiling = {rows, columns, true, tileRows, tileColumns, least};
  tileColumns < columns ? piecesOfRows(k) : wholeRows(k);
}

/// Rounding the result costs half an ulp of T, `half`; nothing cancels, and
/// sums in fp32 cost less than the hundredth of it that is added.
template <class T, class Kernel>
static void check(Kernel kernel, int rows, int columns, double half) {
  dim4 shape = {1, rows, 1, columns}, vector = {1, 1, 1, columns};
  T *out = ppl::malloc<T>(&shape), *in = ppl::rand<T>(&shape, -1.0, 3.0),
    *gamma = ppl::rand<T>(&vector, 0.5, 1.5);
  kernel(out, in, gamma, rows, columns, 1e-5f);
  std::vector<double> factors(rows);
  auto x = [&](int r, int w) { return double(float(in[r * columns + w])); };
  for (int r = 0; r < rows; ++r) {
    double squares = 0;
    for (int w = 0; w < columns; ++w)
      squares += x(r, w) * x(r, w);
    factors[r] = 1 / std::sqrt(squares / columns + 1e-5);
  }
  // Absolutely half a unit of the smallest numbers of fp16.
  expect(
      out, &shape,
      [&](int, int r, int, int w) {
        return x(r, w) * factors[r] * double(float(gamma[w]));
      },
      1.01 * half, 0x1p-25);
}

__TEST__ void rms_norm_512x4096() {
  check<fp16>(rms_norm_fp16, 512, 4096, 0x1p-11);
}
__TEST__ void rms_norm_odd() { check<fp16>(rms_norm_fp16, 131, 77, 0x1p-11); }
__TEST__ void rms_norm_one_row() {
  check<fp16>(rms_norm_fp16, 1, 1000, 0x1p-11);
}
__TEST__ void rms_norm_bfloat() { check<bf16>(rms_norm_bf16, 70, 513, 0x1p-8); }
// Rows that are spread over the lanes: few, and more than a tile has.
__TEST__ void rms_norm_1x32000() {
  check<fp16>(rms_norm_fp16, 1, 32000, 0x1p-11);
}
__TEST__ void rms_norm_spread_rows() {
  check<bf16>(rms_norm_bf16, 5, 9001, 0x1p-8);
}
// Few rows, spread in several tiles.
__TEST__ void rms_norm_16x2048() {
  check<fp16>(rms_norm_fp16, 16, 2048, 0x1p-11);
}
// A row in one lane; in two, of which one has a column only; and in pieces, of
// which the last is a column.
__TEST__ void rms_norm_few_lanes() {
  for (int columns : {120, 128, 129})
    check<fp16>(
        [](fp16 *out, fp16 *in, fp16 *gamma, int rows, int columns,
           float epsilon) {
          rms_norm_tiled(out, in, gamma, rows, columns, epsilon, 2, columns,
                         128);
        },
        3, columns, 0x1p-11);
}
__TEST__ void rms_norm_pieces() {
  check<fp16>(
      [](fp16 *out, fp16 *in, fp16 *gamma, int rows, int columns,
         float epsilon) {
        rms_norm_tiled(out, in, gamma, rows, columns, epsilon, 1, 700, 128);
      },
      3, 1401, 0x1p-11);
}
__TEST__ void rms_norm_many_spread_rows() {
  check<fp16>(rms_norm_fp16, 67, 30001, 0x1p-11);
}
// A row of more than local memory has for one.
__TEST__ void rms_norm_long_row() {
  check<fp16>(rms_norm_fp16, 1, 1500007, 0x1p-11);
}
