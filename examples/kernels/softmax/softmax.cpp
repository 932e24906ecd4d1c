//===- softmax.cpp - softmax of rows of any length ------------------------===//
//
// out = exp(in - max) / sum(exp(in - max)), maximum and sum over a row; fp16,
// bf16 or fp32 in memory, fp32 inside.
//
//===----------------------------------------------------------------------===//

#include "ppl/rows.h"

#include <cmath>
#include <vector>

using namespace ppl;

namespace {
/// Rows lie in lanes, so that sums and maxima never leave a lane.
template <class T>
struct Softmax {
  gtensor<T> out, in;
  int rows, columns;
  dim4 block; // rows of a tile, columns of a piece of them
};
} // namespace

static const float kLowest = -3.0e38f;

/// exp(x - top), which does not exceed 1.
template <class T>
static tensor<float> shiftedExp(Softmax<T> &k, tensor<float> &x,
                                tensor<float> &top, const dim4 &part) {
  auto shifted = make_tensor<float>(k.block, part),
       e = make_tensor<float>(k.block, part);
  tiu::fsub(shifted, x, top);
  exp_no_overflow(e, shifted, &k.block, &part);
  return e;
}

template <class T>
static void finish(Softmax<T> &k, tensor<float> &e, tensor<float> &sum,
                   const dim4 &part, const dim4 &at) {
  auto factor = make_tensor<float>({1, k.block.c, 1, 1}, {1, part.c, 1, 1});
  auto y = make_tensor<float>(k.block, part);
  auto result = make_tensor<T>(k.block, part);
  tiu::fdiv(factor, 1.0f, sum);
  tiu::fmul(y, e, factor);
  tiu::cast(result, y);
  dma::store(k.out.sub_view(part, at), result);
}

/// Rows that fit local memory cross DRAM once.
template <class T>
static void wholeRows(Softmax<T> &k) {
  dim4 blockOne = {1, k.block.c, 1, 1};
  for (int row = 0; row < k.rows; row += k.block.c) {
    enable_pipeline();
    dim4 part = {1, min(k.block.c, k.rows - row), 1, k.columns},
         one = {1, part.c, 1, 1}, at = {0, row, 0, 0};
    auto x = load_as_float(k.in, k.block, part, at);
    auto top = make_tensor<float>(blockOne, one),
         sum = make_tensor<float>(blockOne, one);
    quick_pooling(top, x, &k.block, &part, kLowest, 0);
    auto e = shiftedExp(k, x, top, part);
    quick_pooling(sum, e, &k.block, &part, 0.0f, 1);
    finish(k, e, sum, part, at);
  }
}

/// Longer rows are read twice. The first time maximum and sum grow by a piece
/// at a time; when the maximum does, the sum so far shrinks by exp(old - new)
/// (Milakov, Gimelshein 2018).
template <class T>
static void statistics(Softmax<T> &k, int row, tensor<float> &top,
                       tensor<float> &sum, const dim4 &one) {
  dim4 blockOne = {1, k.block.c, 1, 1};
  tiu::fill(top, kLowest);
  tiu::fill(sum, 0.0f);
  for (int from = 0; from < k.columns; from += k.block.w) {
    enable_pipeline();
    dim4 part = {1, one.c, 1, min(k.block.w, k.columns - from)};
    auto x = load_as_float(k.in, k.block, part, {0, row, 0, from});
    auto its = make_tensor<float>(blockOne, one),
         larger = make_tensor<float>(blockOne, one),
         fall = make_tensor<float>(blockOne, one),
         shrink = make_tensor<float>(blockOne, one),
         own = make_tensor<float>(blockOne, one);
    quick_pooling(its, x, &k.block, &part, kLowest, 0);
    tiu::fmax(larger, its, top);
    tiu::fsub(fall, top, larger);
    exp_no_overflow(shrink, fall, &blockOne, &one);
    auto e = shiftedExp(k, x, larger, part);
    quick_pooling(own, e, &k.block, &part, 0.0f, 1);
    tiu::fmul(sum, sum, shrink);
    tiu::fadd(sum, sum, own);
    tiu::move(top, larger);
  }
}

template <class T>
static void piecesOfRows(Softmax<T> &k) {
  dim4 blockOne = {1, k.block.c, 1, 1};
  for (int row = 0; row < k.rows; row += k.block.c) {
    dim4 one = {1, min(k.block.c, k.rows - row), 1, 1};
    auto top = make_tensor<float>(blockOne, one),
         sum = make_tensor<float>(blockOne, one);
    statistics(k, row, top, sum, one);
    for (int from = 0; from < k.columns; from += k.block.w) {
      enable_pipeline();
      dim4 part = {1, one.c, 1, min(k.block.w, k.columns - from)},
           at = {0, row, 0, from};
      auto x = load_as_float(k.in, k.block, part, at);
      auto e = shiftedExp(k, x, top, part);
      finish(k, e, sum, part, at);
    }
  }
}

template <class T>
static void softmax(T *out, T *in, int rows, int columns) {
  assert(rows >= 1 && columns >= 1);
  dim4 all = {1, rows, 1, columns};
  Softmax<T> k = {{all, GLOBAL, out},
                  {all, GLOBAL, in},
                  rows,
                  columns,
                  {1, min(rows, LANE_NUM), 1, columns}};
  int code =
      attempt_rows<T>(k.block, [&] { wholeRows(k); }, [&] { piecesOfRows(k); });
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

/// The result is rounded to T: `half` an ulp, or `smallest` for what is below
/// its normal numbers. In fp32 an exponent of up to 16 is rounded to 2^-20,
/// which exp makes relative; sum and quotient add a few ulp.
template <class T, class Kernel>
static void check(Kernel kernel, int rows, int columns, double half,
                  double smallest) {
  dim4 shape = {1, rows, 1, columns};
  T *out = ppl::malloc<T>(&shape), *in = ppl::rand<T>(&shape, -8.0, 8.0);
  kernel(out, in, rows, columns);
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
// Rows of more than local memory has for one.
__TEST__ void softmax_long_rows() {
  check<fp16>(softmax_fp16, 67, 50001, 0x1p-11, 0x1p-25);
}
