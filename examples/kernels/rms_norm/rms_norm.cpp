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
  int rows, columns;
  float epsilon;
  RowTiling tiling;
  /// Rows from `row` on, columns from `from` on.
  RowTile tile(int row, int from) const {
    return tiling.tile(row, rows, from, columns);
  }
};
} // namespace

/// The share of a tile in the mean square of its rows.
template <class T>
static tensor<float> meanSquare(RmsNorm<T> &k, const RowTile &t,
                                tensor<float> &x) {
  auto square = t.make();
  tiu::fmul(square, x, x);
  return pool_rows(t, square, 0.0f, 1, 1.0f / k.columns);
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
  auto scale = load_columns(k.tile(0, 0), k.gamma);
  for (int row = 0; row < k.rows; row += k.tiling.rows) {
    enable_pipeline();
    RowTile t = k.tile(row, 0);
    auto x = load_rows(t, k.in, 0.0f);
    auto mean = meanSquare(k, t, x);
    finish(k, t, x, inverse(k, t, mean), scale);
  }
}

/// Longer rows are read twice: for the sum and for the result.
template <class T>
static void piecesOfRows(RmsNorm<T> &k) {
  for (int row = 0; row < k.rows; row += k.tiling.rows) {
    RowTile rows = k.tile(row, 0);
    auto mean = rows.make_one();
    tiu::fill(mean, 0.0f);
    for (int from = 0; from < k.columns; from += k.tiling.columns) {
      enable_pipeline();
      RowTile t = k.tile(row, from);
      auto x = load_rows(t, k.in, 0.0f);
      tiu::fadd(mean, mean, meanSquare(k, t, x));
    }
    auto factor = inverse(k, rows, mean);
    for (int from = 0; from < k.columns; from += k.tiling.columns) {
      enable_pipeline();
      RowTile t = k.tile(row, from);
      auto x = load_rows(t, k.in, 0.0f);
      finish(k, t, x, factor, load_columns(t, k.gamma));
    }
  }
}

template <class T>
static void normalize(T *out, T *in, T *gamma, int rows, int columns,
                      float epsilon) {
  assert(rows >= 1 && columns >= 1);
  dim4 all = {1, rows, 1, columns}, vector = {1, 1, 1, columns};
  RmsNorm<T> k = {{all, GLOBAL, out},
                  {all, GLOBAL, in},
                  {vector, GLOBAL, gamma},
                  rows,
                  columns,
                  epsilon,
                  RowTiling()};
  auto with = [&k](void (*form)(RmsNorm<T> &)) {
    return [&k, form](const RowTiling &tiling) {
      k.tiling = tiling;
      form(k);
    };
  };
  int code =
      attempt_rows<T>(rows, columns, with(wholeRows<T>), with(piecesOfRows<T>));
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
__TEST__ void rms_norm_few_lanes() {
  check<fp16>(rms_norm_fp16, 1, 129, 0x1p-11);
}
__TEST__ void rms_norm_many_spread_rows() {
  check<fp16>(rms_norm_fp16, 67, 30001, 0x1p-11);
}
// A row of more than local memory has for one.
__TEST__ void rms_norm_long_row() {
  check<fp16>(rms_norm_fp16, 1, 1500007, 0x1p-11);
}
