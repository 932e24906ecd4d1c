//===- normalization.cpp - softmax, layer norm, rms norm, group norm ------===//

#include "tiles.h"

using namespace ppl;

// Sums and maxima over w come from quick_pooling (PPL 4.7.7); a row of the
// matrix lies in one lane.

/// Replaces tiles of rows: body(x, part, one) gives what `x`, a tile of the
/// shape `part` in fp32, becomes; `one` is its shape with one column.
template <class T, class Body>
static void forRows(T *out, T *in, int rows, int columns, int tile,
                    bool pipelined, Body body) {
  dim4 all = {1, rows, 1, columns}, block = {1, tile, 1, columns};
  gtensor<T> gin(all, GLOBAL, in), gout(all, GLOBAL, out);
  forTiles(pipelined, rows, tile, [&](int row, int count) {
    dim4 part = {1, count, 1, columns}, one = {1, count, 1, 1},
         at = {0, row, 0, 0};
    auto loaded = make_tensor<T>(block, part);
    dma::load(loaded, gin.sub_view(part, at));
    auto x = make_tensor<float>(block, part);
    tiu::cast(x, loaded);
    auto y = body(x, part, one);
    auto result = make_tensor<T>(block, part);
    tiu::cast(result, y);
    dma::store(gout.sub_view(part, at), result);
  });
}

template <class T>
static void softmaxRows(T *out, T *in, int rows, int columns, int tile,
                        bool logarithm, bool pipelined) {
  dim4 block = {1, tile, 1, columns}, blockOne = {1, tile, 1, 1};
  forRows(out, in, rows, columns, tile, pipelined,
          [&](auto &x, dim4 &part, dim4 &one) {
            auto top = make_tensor<float>(blockOne, one);
            quick_pooling(top, x, &block, &part, -3.0e38f, 0);
            auto shifted = make_tensor<float>(block, part);
            tiu::fsub(shifted, x, top);
            auto e = make_tensor<float>(block, part);
            exp_no_overflow(e, shifted, &block, &part);
            auto sum = make_tensor<float>(blockOne, one);
            quick_pooling(sum, e, &block, &part, 0.0f, 1);
            auto y = make_tensor<float>(block, part);
            auto factor = make_tensor<float>(blockOne, one);
            if (logarithm) {
              flog(factor, sum, &blockOne, &one);
              tiu::fsub(y, shifted, factor);
            } else {
              tiu::fdiv(factor, 1.0f, sum);
              tiu::fmul(y, e, factor);
            }
            return y;
          });
}
__KERNEL__ void softmax_fp32(float *out, float *in, int rows, int columns,
                             const int tile, bool logarithm, bool pipelined) {
  softmaxRows(out, in, rows, columns, tile, logarithm, pipelined);
}
__KERNEL__ void softmax_fp16(fp16 *out, fp16 *in, int rows, int columns,
                             const int tile, bool logarithm, bool pipelined) {
  softmaxRows(out, in, rows, columns, tile, logarithm, pipelined);
}

template <class T, class Kernel>
static void testSoftmax(Kernel kernel, int rows, int columns, bool logarithm,
                        bool pipelined, double rtol, double atol) {
  dim4 shape = {1, rows, 1, columns};
  T *out = ppl::malloc<T>(&shape), *in = ppl::rand<T>(&shape, -8.0, 8.0);
  kernel(out, in, rows, columns, 64, logarithm, pipelined);
  std::vector<double> sums(rows), tops(rows, -1e9);
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
        double z = x(r, w) - tops[r];
        return logarithm ? z - std::log(sums[r]) : std::exp(z) / sums[r];
      },
      rtol, atol);
}
// The exponent of a row is at most 16, so that rounding it to fp32 costs 2^-20
// in e; sum and quotient add a few ulp. Log softmax loses it absolutely.
__TEST__ void softmax_rows() {
  testSoftmax<float>(softmax_fp32, 200, 77, false, false, 0x1p-19, 0);
}
__TEST__ void softmax_rows_pipelined() {
  testSoftmax<float>(softmax_fp32, 200, 77, false, true, 0x1p-19, 0);
}
__TEST__ void softmax_rows_fp16() {
  testSoftmax<fp16>(softmax_fp16, 130, 128, false, true, 1.01 * kFp16, 0x1p-24);
}
__TEST__ void log_softmax_rows() {
  testSoftmax<float>(softmax_fp32, 90, 50, true, true, 0, 0x1p-19);
}

// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta over w. Without
// `centred` it is the rms norm: no mean and no beta.
template <class T>
static void normRows(T *out, T *in, float *gamma, float *beta, int rows,
                     int columns, float epsilon, int tile, bool centred,
                     bool pipelined) {
  dim4 block = {1, tile, 1, columns}, blockOne = {1, tile, 1, 1},
       wide = {1, LANE_NUM, 1, columns}, vector = {1, 1, 1, columns};
  // The same row in every lane.
  tensor<float> scale(wide), shift(wide);
  dma::load_broadcast(scale, gtensor<float>(vector, GLOBAL, gamma));
  if (centred)
    dma::load_broadcast(shift, gtensor<float>(vector, GLOBAL, beta));
  forRows(out, in, rows, columns, tile, pipelined,
          [&](auto &x, dim4 &part, dim4 &one) {
            auto d = make_tensor<float>(block, part);
            auto mean = make_tensor<float>(blockOne, one);
            if (centred) {
              quick_pooling(mean, x, &block, &part, 0.0f, 1, 1.0f / columns);
              tiu::fsub(d, x, mean);
            } else {
              tiu::move(d, x);
            }
            auto square = make_tensor<float>(block, part);
            tiu::fmul(square, d, d);
            auto variance = make_tensor<float>(blockOne, one);
            quick_pooling(variance, square, &block, &part, 0.0f, 1,
                          1.0f / columns);
            auto guarded = make_tensor<float>(blockOne, one);
            tiu::fadd(guarded, variance, epsilon);
            auto inverse = make_tensor<float>(blockOne, one);
            tiu::frsqrt(inverse, guarded);
            auto unit = make_tensor<float>(block, part);
            tiu::fmul(unit, d, inverse);
            dim4 origin = {0, 0, 0, 0};
            auto scaled = make_tensor<float>(block, part);
            tiu::fmul(scaled, unit, scale.sub_view(part, origin));
            auto y = make_tensor<float>(block, part);
            if (centred)
              tiu::fadd(y, scaled, shift.sub_view(part, origin));
            return centred ? y : scaled;
          });
}
__KERNEL__ void norm_fp32(float *out, float *in, float *gamma, float *beta,
                          int rows, int columns, float epsilon, const int tile,
                          bool centred, bool pipelined) {
  normRows(out, in, gamma, beta, rows, columns, epsilon, tile, centred,
           pipelined);
}
__KERNEL__ void norm_bf16(bf16 *out, bf16 *in, float *gamma, float *beta,
                          int rows, int columns, float epsilon, const int tile,
                          bool centred, bool pipelined) {
  normRows(out, in, gamma, beta, rows, columns, epsilon, tile, centred,
           pipelined);
}

template <class T, class Kernel>
static void testNorm(Kernel kernel, int rows, int columns, bool centred,
                     bool pipelined, double rtol, double atol) {
  dim4 shape = {1, rows, 1, columns}, vector = {1, 1, 1, columns};
  T *out = ppl::malloc<T>(&shape), *in = ppl::rand<T>(&shape, -1.0, 3.0);
  float *gamma = ppl::rand<float>(&vector, 0.5, 1.5),
        *beta = ppl::rand<float>(&vector, -1.0, 1.0);
  kernel(out, in, gamma, beta, rows, columns, 1e-5f, 64, centred, pipelined);
  std::vector<double> means(rows), factors(rows);
  auto x = [&](int r, int w) { return double(float(in[r * columns + w])); };
  for (int r = 0; r < rows; ++r) {
    double sum = 0, squares = 0;
    for (int w = 0; w < columns; ++w)
      sum += x(r, w);
    means[r] = centred ? sum / columns : 0;
    for (int w = 0; w < columns; ++w)
      squares += (x(r, w) - means[r]) * (x(r, w) - means[r]);
    factors[r] = 1 / std::sqrt(squares / columns + 1e-5);
  }
  expect(
      out, &shape,
      [&](int, int r, int, int w) {
        return (x(r, w) - means[r]) * factors[r] * gamma[w] +
               (centred ? beta[w] : 0);
      },
      rtol, atol);
}
// Sums of 100 numbers in fp32 in two steps of about 10 additions each: 2^-20
// of the mean and of the variance, twice the half of which reaches the result.
// Where the sums cancel the error is absolute, at values up to 4.
__TEST__ void layer_norm() {
  testNorm<float>(norm_fp32, 100, 100, true, false, 0x1p-19, 0x1p-18);
}
__TEST__ void layer_norm_pipelined() {
  testNorm<float>(norm_fp32, 300, 100, true, true, 0x1p-19, 0x1p-18);
}
__TEST__ void rms_norm() {
  testNorm<float>(norm_fp32, 100, 96, false, false, 0x1p-19, 0);
}
// The result is rounded to bf16 once.
__TEST__ void rms_norm_bf16_pipelined() {
  testNorm<bf16>(norm_bf16, 200, 128, false, true, 1.01 * kBf16, 0);
}
