//===- layer_norm.cpp - rows with mean 0 and variance 1, scaled -----------===//
//
// out = (in - mean) / sqrt(variance + epsilon) * gamma + beta, mean and
// variance over a row; fp16 or bf16 in memory, fp32 inside.
//
//===----------------------------------------------------------------------===//

#include "ppl/rows.h"

#include <cmath>
#include <vector>

using namespace ppl;

namespace {
template <class T>
struct LayerNorm {
  gtensor<T> out, in, gamma, beta;
  RowTiling tiling;
  float epsilon;
  LayerNorm(T *out, T *in, T *gamma, T *beta, int rows, int columns,
            float epsilon)
      : out({1, rows, 1, columns}, GLOBAL, out),
        in({1, rows, 1, columns}, GLOBAL, in),
        gamma({1, 1, 1, columns}, GLOBAL, gamma),
        beta({1, 1, 1, columns}, GLOBAL, beta), tiling{rows, columns},
        epsilon(epsilon) {}
};
} // namespace

namespace {
/// The rows of a tile, or of a piece of them. The variance comes from what is
/// left of `x` less the mean, not from the difference of two large sums.
struct Centred {
  tensor<float> mean, x, variance;
  Centred(const RowTile &t, const tensor<float> &given)
      : mean(pool_rows(t, given, 0.0f, Pool::Sum, 1.0f / t.count)), x(t.make()),
        variance(squares(t, given)) {}

private:
  tensor<float> squares(const RowTile &t, const tensor<float> &given) {
    tiu::fsub(x, given, t.beside(mean));
    fill_rest(t, x, 0.0f);
    auto square = t.make();
    tiu::fmul(square, x, x);
    return pool_rows(t, square, 0.0f, Pool::Sum, 1.0f / t.count);
  }
};
} // namespace

/// 1 / sqrt(variance + epsilon).
static void invert(const RowTile &t, tensor<float> &variance, float epsilon) {
  auto guarded = t.make_one();
  tiu::fadd(guarded, variance, epsilon);
  tiu::frsqrt(variance, guarded);
}

template <class T>
static void finish(LayerNorm<T> &k, const RowTile &t, tensor<float> &centred,
                   tensor<float> &factor, const tensor<float> &scale,
                   const tensor<float> &shift) {
  auto unit = t.make(), scaled = t.make(), y = t.make();
  tiu::fmul(unit, centred, t.beside(factor));
  tiu::fmul(scaled, unit, t.columns_of(scale));
  tiu::fadd(y, scaled, t.columns_of(shift));
  store_rows(t, k.out, y);
}

/// Rows that fit local memory cross DRAM once.
template <class T>
static void wholeRows(LayerNorm<T> &k) {
  auto scale = load_columns(k.tiling.tile(0), k.gamma),
       shift = load_columns(k.tiling.tile(0), k.beta);
  for (int row = 0; row < k.tiling.rows; row += k.tiling.tileRows) {
    enable_pipeline();
    RowTile t = k.tiling.tile(row);
    auto x = load_rows(t, k.in, 0.0f);
    Centred centred(t, x);
    invert(t, centred.variance, k.epsilon);
    finish(k, t, centred.x, centred.variance, scale, shift);
  }
}

/// Longer rows are read twice. `mean` and `squares`, the squares' distance from
/// it summed, grow by a piece at a time (Chan, Golub, LeVeque 1979):
/// squares += those of the piece + (difference of the means)^2 * a b / (a + b)
/// for a elements before and b in the piece.
template <class T>
static void statistics(LayerNorm<T> &k, int row, tensor<float> &mean,
                       tensor<float> &squares) {
  tiu::fill(mean, 0.0f);
  tiu::fill(squares, 0.0f);
  for (int from = 0; from < k.tiling.columns; from += k.tiling.tileColumns) {
    enable_pipeline();
    RowTile t = k.tiling.tile(row, from);
    float share = float(t.count) / float(from + t.count);
    auto x = load_rows(t, k.in, 0.0f);
    Centred its(t, x);
    auto apart = t.make_one(), step = t.make_one(), own = t.make_one(),
         between = t.make_one(), weighted = t.make_one();
    tiu::fsub(apart, its.mean, mean);
    tiu::fmul(step, apart, share);
    tiu::fadd(mean, mean, step);
    tiu::fmul(own, its.variance, float(t.count));
    tiu::fmul(between, apart, apart);
    tiu::fmul(weighted, between, share * float(from));
    tiu::fadd(squares, squares, own);
    tiu::fadd(squares, squares, weighted);
  }
}

template <class T>
static void piecesOfRows(LayerNorm<T> &k) {
  for (int row = 0; row < k.tiling.rows; ++row) {
    RowTile rows = k.tiling.tile(row);
    auto mean = rows.make_one(), squares = rows.make_one(),
         variance = rows.make_one();
    statistics(k, row, mean, squares);
    tiu::fmul(variance, squares, 1.0f / k.tiling.columns);
    invert(rows, variance, k.epsilon);
    for (int from = 0; from < k.tiling.columns; from += k.tiling.tileColumns) {
      enable_pipeline();
      RowTile t = k.tiling.tile(row, from);
      auto scale = load_columns(t, k.gamma), shift = load_columns(t, k.beta);
      auto x = load_rows(t, k.in, 0.0f);
      auto centred = t.make();
      tiu::fsub(centred, x, t.beside(mean));
      finish(k, t, centred, variance, scale, shift);
    }
  }
}

/// Passes by the TIU's time in the profile, a cycle for each 16 columns.
static constexpr RowWork kWork = {9, 2};

template <class T>
static void normalize(T *out, T *in, T *gamma, T *beta, int rows, int columns,
                      float epsilon) {
  assert(rows >= 1 && columns >= 1);
  LayerNorm<T> k(out, in, gamma, beta, rows, columns, epsilon);
  int code = attempt_rows(k, kWork, wholeRows<T>, piecesOfRows<T>);
  assert(code == 0);
}

__KERNEL__ void layer_norm_fp16(fp16 *out, fp16 *in, fp16 *gamma, fp16 *beta,
                                int rows, int columns, float epsilon) {
  normalize(out, in, gamma, beta, rows, columns, epsilon);
}
__KERNEL__ void layer_norm_bf16(bf16 *out, bf16 *in, bf16 *gamma, bf16 *beta,
                                int rows, int columns, float epsilon) {
  normalize(out, in, gamma, beta, rows, columns, epsilon);
}

/// Spread rows in tiles that are given, whole or in pieces.
__KERNEL__ void layer_norm_tiled(fp16 *out, fp16 *in, fp16 *gamma, fp16 *beta,
                                 int rows, int columns, float epsilon,
                                 int tileRows, int tileColumns, int least) {
  LayerNorm<fp16> k(out, in, gamma, beta, rows, columns, epsilon);
  k.tiling = {rows, columns, true, tileRows, tileColumns, least};
  tileColumns < columns ? piecesOfRows(k) : wholeRows(k);
}

/// Rounding the result costs half an ulp of T, `half`. What fp32 costs before
/// counts absolutely, because beta can cancel the rest: a sum is 32 chains of
/// columns / 32 additions, in 4096 columns 128 of them, which round up as often
/// as down: about sqrt(128) * 2^-24 of values up to 4, less than 2^-18.
template <class T, class Kernel>
static void check(Kernel kernel, int rows, int columns, double half) {
  dim4 shape = {1, rows, 1, columns}, vector = {1, 1, 1, columns};
  T *out = ppl::malloc<T>(&shape), *in = ppl::rand<T>(&shape, -1.0, 3.0),
    *gamma = ppl::rand<T>(&vector, 0.5, 1.5),
    *beta = ppl::rand<T>(&vector, -1.0, 1.0);
  kernel(out, in, gamma, beta, rows, columns, 1e-5f);
  std::vector<double> means(rows), factors(rows);
  auto x = [&](int r, int w) { return double(float(in[r * columns + w])); };
  for (int r = 0; r < rows; ++r) {
    double sum = 0, squares = 0;
    for (int w = 0; w < columns; ++w)
      sum += x(r, w);
    means[r] = sum / columns;
    for (int w = 0; w < columns; ++w)
      squares += (x(r, w) - means[r]) * (x(r, w) - means[r]);
    factors[r] = 1 / std::sqrt(squares / columns + 1e-5);
  }
  expect(
      out, &shape,
      [&](int, int r, int, int w) {
        return (x(r, w) - means[r]) * factors[r] * double(float(gamma[w])) +
               double(float(beta[w]));
      },
      1.01 * half, 0x1p-18);
}

__TEST__ void layer_norm_512x4096() {
  check<fp16>(layer_norm_fp16, 512, 4096, 0x1p-11);
}
__TEST__ void layer_norm_odd() {
  check<fp16>(layer_norm_fp16, 131, 77, 0x1p-11);
}
__TEST__ void layer_norm_one_row() {
  check<fp16>(layer_norm_fp16, 1, 1000, 0x1p-11);
}
__TEST__ void layer_norm_bfloat() {
  check<bf16>(layer_norm_bf16, 70, 513, 0x1p-8);
}
// Rows that are spread over the lanes: few, and more than a tile has.
__TEST__ void layer_norm_1x32000() {
  check<fp16>(layer_norm_fp16, 1, 32000, 0x1p-11);
}
__TEST__ void layer_norm_spread_rows() {
  check<bf16>(layer_norm_bf16, 5, 9001, 0x1p-8);
}
// A row in one lane; in two, of which one has a column only; and in pieces, of
// which the last is a column.
__TEST__ void layer_norm_few_lanes() {
  for (int columns : {120, 128, 129})
    check<fp16>(
        [](fp16 *out, fp16 *in, fp16 *gamma, fp16 *beta, int rows, int columns,
           float epsilon) {
          layer_norm_tiled(out, in, gamma, beta, rows, columns, epsilon, 2,
                           columns, 128);
        },
        3, columns, 0x1p-11);
}
__TEST__ void layer_norm_pieces() {
  check<fp16>(
      [](fp16 *out, fp16 *in, fp16 *gamma, fp16 *beta, int rows, int columns,
         float epsilon) {
        layer_norm_tiled(out, in, gamma, beta, rows, columns, epsilon, 1, 700,
                         128);
      },
      3, 1401, 0x1p-11);
}
__TEST__ void layer_norm_many_spread_rows() {
  check<fp16>(layer_norm_fp16, 67, 30001, 0x1p-11);
}
// A row of more than local memory has for one.
__TEST__ void layer_norm_long_row() {
  check<fp16>(layer_norm_fp16, 1, 1500007, 0x1p-11);
}
