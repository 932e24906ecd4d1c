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
/// What all tiles share. Rows lie in lanes, so statistics never leave a lane.
template <class T>
struct LayerNorm {
  gtensor<T> out, in, gamma, beta;
  int rows, columns;
  float epsilon;
  dim4 block; // rows of a tile, columns of a piece of them
};
} // namespace

/// The mean of a piece, and `x` less it. The variance comes from what is left,
/// not from the difference of two large sums.
template <class T>
static void center(LayerNorm<T> &k, tensor<float> &x, const dim4 &part,
                   tensor<float> &mean, tensor<float> &centred,
                   tensor<float> &variance) {
  quick_pooling(mean, x, &k.block, &part, 0.0f, 1, 1.0f / part.w);
  tiu::fsub(centred, x, mean);
  auto square = make_tensor<float>(k.block, part);
  tiu::fmul(square, centred, centred);
  quick_pooling(variance, square, &k.block, &part, 0.0f, 1, 1.0f / part.w);
}

/// 1 / sqrt(variance + epsilon).
static void invert(tensor<float> &variance, float epsilon, const dim4 &block,
                   const dim4 &one) {
  auto guarded = make_tensor<float>(block, one);
  tiu::fadd(guarded, variance, epsilon);
  tiu::frsqrt(variance, guarded);
}

template <class T>
static void finish(LayerNorm<T> &k, tensor<float> &centred,
                   tensor<float> &factor, tensor<float> scale,
                   tensor<float> shift, const dim4 &part, const dim4 &at) {
  auto unit = make_tensor<float>(k.block, part);
  auto scaled = make_tensor<float>(k.block, part);
  auto y = make_tensor<float>(k.block, part);
  auto result = make_tensor<T>(k.block, part);
  dim4 first = {0, 0, 0, 0};
  tiu::fmul(unit, centred, factor);
  tiu::fmul(scaled, unit, scale.sub_view(part, first));
  tiu::fadd(y, scaled, shift.sub_view(part, first));
  tiu::cast(result, y);
  dma::store(k.out.sub_view(part, at), result);
}

/// Rows that fit local memory cross DRAM once.
template <class T>
static void wholeRows(LayerNorm<T> &k) {
  dim4 blockOne = {1, k.block.c, 1, 1};
  auto scale = broadcast_as_float(k.gamma, k.block.w, 0),
       shift = broadcast_as_float(k.beta, k.block.w, 0);
  for (int row = 0; row < k.rows; row += k.block.c) {
    enable_pipeline();
    dim4 part = {1, min(k.block.c, k.rows - row), 1, k.columns},
         one = {1, part.c, 1, 1}, at = {0, row, 0, 0};
    auto x = load_as_float(k.in, k.block, part, at);
    auto mean = make_tensor<float>(blockOne, one),
         variance = make_tensor<float>(blockOne, one);
    auto centred = make_tensor<float>(k.block, part);
    center(k, x, part, mean, centred, variance);
    invert(variance, k.epsilon, blockOne, one);
    finish(k, centred, variance, scale, shift, part, at);
  }
}

/// Longer rows are read twice. `mean` and `squares`, the squares' distance from
/// it summed, grow by a piece at a time (Chan, Golub, LeVeque 1979):
/// squares += those of the piece + (difference of the means)^2 * a b / (a + b)
/// for a elements before and b in the piece.
template <class T>
static void statistics(LayerNorm<T> &k, int row, tensor<float> &mean,
                       tensor<float> &squares, const dim4 &one) {
  dim4 blockOne = {1, k.block.c, 1, 1};
  tiu::fill(mean, 0.0f);
  tiu::fill(squares, 0.0f);
  for (int from = 0; from < k.columns; from += k.block.w) {
    enable_pipeline();
    int count = min(k.block.w, k.columns - from);
    dim4 part = {1, one.c, 1, count};
    float share = float(count) / float(from + count);
    auto x = load_as_float(k.in, k.block, part, {0, row, 0, from});
    auto its = make_tensor<float>(blockOne, one),
         variance = make_tensor<float>(blockOne, one),
         apart = make_tensor<float>(blockOne, one),
         step = make_tensor<float>(blockOne, one),
         own = make_tensor<float>(blockOne, one),
         between = make_tensor<float>(blockOne, one),
         weighted = make_tensor<float>(blockOne, one);
    auto centred = make_tensor<float>(k.block, part);
    center(k, x, part, its, centred, variance);
    tiu::fsub(apart, its, mean);
    tiu::fmul(step, apart, share);
    tiu::fadd(mean, mean, step);
    tiu::fmul(own, variance, float(count));
    tiu::fmul(between, apart, apart);
    tiu::fmul(weighted, between, share * float(from));
    tiu::fadd(squares, squares, own);
    tiu::fadd(squares, squares, weighted);
  }
}

template <class T>
static void piecesOfRows(LayerNorm<T> &k) {
  dim4 blockOne = {1, k.block.c, 1, 1};
  for (int row = 0; row < k.rows; row += k.block.c) {
    dim4 one = {1, min(k.block.c, k.rows - row), 1, 1};
    auto mean = make_tensor<float>(blockOne, one),
         squares = make_tensor<float>(blockOne, one),
         variance = make_tensor<float>(blockOne, one);
    statistics(k, row, mean, squares, one);
    tiu::fmul(variance, squares, 1.0f / k.columns);
    invert(variance, k.epsilon, blockOne, one);
    for (int from = 0; from < k.columns; from += k.block.w) {
      enable_pipeline();
      dim4 part = {1, one.c, 1, min(k.block.w, k.columns - from)},
           at = {0, row, 0, from};
      auto scale = broadcast_as_float(k.gamma, part.w, from),
           shift = broadcast_as_float(k.beta, part.w, from);
      auto x = load_as_float(k.in, k.block, part, at);
      auto centred = make_tensor<float>(k.block, part);
      tiu::fsub(centred, x, mean);
      finish(k, centred, variance, scale, shift, part, at);
    }
  }
}

template <class T>
static void normalize(T *out, T *in, T *gamma, T *beta, int rows, int columns,
                      float epsilon) {
  assert(rows >= 1 && columns >= 1);
  dim4 all = {1, rows, 1, columns}, vector = {1, 1, 1, columns};
  LayerNorm<T> k = {{all, GLOBAL, out},
                    {all, GLOBAL, in},
                    {vector, GLOBAL, gamma},
                    {vector, GLOBAL, beta},
                    rows,
                    columns,
                    epsilon,
                    {1, min(rows, LANE_NUM), 1, columns}};
  int code =
      attempt_rows<T>(k.block, [&] { wholeRows(k); }, [&] { piecesOfRows(k); });
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
// Rows of more than local memory has for one.
__TEST__ void layer_norm_long_rows() {
  check<fp16>(layer_norm_fp16, 67, 30001, 0x1p-11);
}
