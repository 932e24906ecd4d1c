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
/// Rows lie in lanes, so that sums never leave a lane.
template <class T>
struct RmsNorm {
  gtensor<T> out, in, gamma;
  int rows, columns;
  float epsilon;
  dim4 block; // rows of a tile, columns of a piece of them
};
} // namespace

/// The share of a piece in the mean square of its rows.
template <class T>
static tensor<float> meanSquare(RmsNorm<T> &k, tensor<float> &x,
                                const dim4 &part) {
  auto square = make_tensor<float>(k.block, part);
  tiu::fmul(square, x, x);
  auto mean = make_tensor<float>({1, k.block.c, 1, 1}, {1, part.c, 1, 1});
  quick_pooling(mean, square, &k.block, &part, 0.0f, 1, 1.0f / k.columns);
  return mean;
}

template <class T>
static tensor<float> inverse(RmsNorm<T> &k, tensor<float> &mean) {
  dim4 block = {1, k.block.c, 1, 1}, one = mean.getShape();
  auto guarded = make_tensor<float>(block, one),
       factor = make_tensor<float>(block, one);
  tiu::fadd(guarded, mean, k.epsilon);
  tiu::frsqrt(factor, guarded);
  return factor;
}

template <class T>
static void finish(RmsNorm<T> &k, tensor<float> &x, tensor<float> factor,
                   tensor<float> scale, const dim4 &part, const dim4 &at) {
  auto unit = make_tensor<float>(k.block, part),
       y = make_tensor<float>(k.block, part);
  auto result = make_tensor<T>(k.block, part);
  tiu::fmul(unit, x, factor);
  tiu::fmul(y, unit, scale.sub_view(part, {0, 0, 0, 0}));
  tiu::cast(result, y);
  dma::store(k.out.sub_view(part, at), result);
}

/// Rows that fit local memory cross DRAM once.
template <class T>
static void wholeRows(RmsNorm<T> &k) {
  auto scale = broadcast_as_float(k.gamma, k.columns, 0);
  for (int row = 0; row < k.rows; row += k.block.c) {
    enable_pipeline();
    dim4 part = {1, min(k.block.c, k.rows - row), 1, k.columns},
         at = {0, row, 0, 0};
    auto x = load_as_float(k.in, k.block, part, at);
    auto mean = meanSquare(k, x, part);
    finish(k, x, inverse(k, mean), scale, part, at);
  }
}

/// Longer rows are read twice: for the sum and for the result.
template <class T>
static void piecesOfRows(RmsNorm<T> &k) {
  for (int row = 0; row < k.rows; row += k.block.c) {
    int rows = min(k.block.c, k.rows - row);
    auto part = [&](int from) {
      return dim4{1, rows, 1, min(k.block.w, k.columns - from)};
    };
    auto mean = make_tensor<float>({1, k.block.c, 1, 1}, {1, rows, 1, 1});
    tiu::fill(mean, 0.0f);
    for (int from = 0; from < k.columns; from += k.block.w) {
      enable_pipeline();
      auto x = load_as_float(k.in, k.block, part(from), {0, row, 0, from});
      tiu::fadd(mean, mean, meanSquare(k, x, part(from)));
    }
    auto factor = inverse(k, mean);
    for (int from = 0; from < k.columns; from += k.block.w) {
      enable_pipeline();
      dim4 at = {0, row, 0, from};
      auto x = load_as_float(k.in, k.block, part(from), at);
      finish(k, x, factor, broadcast_as_float(k.gamma, part(from).w, from),
             part(from), at);
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
                  {1, min(rows, LANE_NUM), 1, columns}};
  int code =
      attempt_rows<T>(k.block, [&] { wholeRows(k); }, [&] { piecesOfRows(k); });
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
// Rows of more than local memory has for one.
__TEST__ void rms_norm_long_rows() {
  check<fp16>(rms_norm_fp16, 67, 30001, 0x1p-11);
}
