//===- pooling.cpp - windows and reductions -------------------------------===//

#include "tiles.h"

using namespace ppl;

// PPL 4.6.6: an image a round.
template <class T>
static void poolImages(T *out, T *in, int n, int c, int h, int w, bool maximum,
                       bool pipelined) {
  int oh = (h + 2 - 3) / 2 + 1, ow = (w + 2 - 3) / 2 + 1;
  dim4 one = {1, c, h, w}, result = {1, c, oh, ow};
  gtensor<T> gin({n, c, h, w}, GLOBAL, in), gout({n, c, oh, ow}, GLOBAL, out);
  dim2 kernel = {3, 3}, stride = {2, 2}, dilation = {1, 1};
  padding_t pad = {1, 1, 1, 1};
  forTiles(pipelined, n, 1, [&](int image, int) {
    dim4 at = {image, 0, 0, 0};
    tensor<T> x(one), y(result);
    dma::load(x, gin.sub_view(one, at));
    if (maximum)
      tiu::fpool_max(y, x, &kernel, &pad, &stride, &dilation);
    else
      fp_avg_pool_2d_count_include_padding(y, x, &result, &one, &kernel, &pad,
                                           &stride, &dilation, 1);
    dma::store(gout.sub_view(result, at), y);
  });
}
__KERNEL__ void pool_fp32(float *out, float *in, int n, int c, int h, int w,
                          bool maximum, bool pipelined) {
  poolImages(out, in, n, c, h, w, maximum, pipelined);
}
__KERNEL__ void pool_bf16(bf16 *out, bf16 *in, int n, int c, int h, int w,
                          bool maximum, bool pipelined) {
  poolImages(out, in, n, c, h, w, maximum, pipelined);
}
template <class T, class Kernel>
static void testPool(Kernel kernel, bool maximum, bool pipelined, double rtol,
                     double atol) {
  const int n = 4, c = 70, h = 9, w = 12, oh = 5, ow = 6;
  dim4 in = {n, c, h, w}, out = {n, c, oh, ow};
  T *y = ppl::malloc<T>(&out), *x = ppl::rand<T>(&in, -1.0, 1.0);
  kernel(y, x, n, c, h, w, maximum, pipelined);
  expect(
      y, &out,
      [&](int b, int k, int oy, int ox) {
        double top = -10, sum = 0;
        int count = 0;
        for (int p = 2 * oy - 1; p <= 2 * oy + 1; ++p)
          for (int q = 2 * ox - 1; q <= 2 * ox + 1; ++q)
            if (p >= 0 && p < h && q >= 0 && q < w) {
              double value = float(x[((b * c + k) * h + p) * w + q]);
              top = std::fmax(top, value);
              sum += value;
              ++count;
            }
        return maximum ? top : sum / count;
      },
      rtol, atol);
}
__TEST__ void max_pool() { testPool<float>(pool_fp32, true, false, 0, 0); }
__TEST__ void max_pool_pipelined() {
  testPool<bf16>(pool_bf16, true, true, 0, 0);
}
// Nine products and nine sums below 1, and a correction at the border.
__TEST__ void average_pool() {
  testPool<float>(pool_fp32, false, false, 2 * kFp32, 12 * kFp32);
}
__TEST__ void average_pool_pipelined() {
  testPool<float>(pool_fp32, false, true, 2 * kFp32, 12 * kFp32);
}

// Ceil mode: the last windows reach beyond the declared padding, which counts,
// and what they find there does not.
__KERNEL__ void pool_ceil(float *out, float *in, int c, int h, int w, int oh,
                          int ow) {
  dim4 from = {1, c, h, w}, to = {1, c, oh, ow};
  tensor<float> x(from), y(to);
  dma::load(x, gtensor<float>(from, GLOBAL, in));
  dim2 kernel = {3, 2}, stride = {2, 3}, dilation = {1, 1};
  padding_t pad = {1, 1, 0, 0};
  fp_avg_pool_2d_count_include_padding(y, x, &to, &from, &kernel, &pad, &stride,
                                       &dilation, 0);
  dma::store(gtensor<float>(to, GLOBAL, out), y);
}
__TEST__ void average_pool_ceil() {
  const int c = 20, h = 8, w = 7, oh = 5, ow = 3;
  dim4 from = {1, c, h, w}, to = {1, c, oh, ow};
  float *y = ppl::malloc<float>(&to), *x = ppl::rand<float>(&from, -1.0, 1.0);
  pool_ceil(y, x, c, h, w, oh, ow);
  // Six products and sums below 1, and two corrections.
  expect(
      y, &to,
      [&](int, int k, int oy, int ox) {
        double sum = 0;
        int count = 0;
        for (int p = 2 * oy - 1; p < 2 * oy + 2; ++p)
          for (int q = 3 * ox; q < 3 * ox + 2; ++q) {
            count += p <= h && q < w;
            if (p >= 0 && p < h && q < w)
              sum += x[(k * h + p) * w + q];
          }
        return sum / count;
      },
      3 * kFp32, 12 * kFp32);
}

// PPL 4.7.7: the maximum and the mean of each row.
template <class T>
static void reduceRows(T *top, T *mean, T *in, int rows, int columns) {
  dim4 shape = {1, rows, 1, columns}, one = {1, rows, 1, 1};
  tensor<T> x(shape), y(shape), a(one), b(one);
  dma::load(x, gtensor<T>(shape, GLOBAL, in));
  tiu::move(y, x); // each reduction fills the end of its rows
  quick_pooling(a, x, &shape, &shape, -60000.0f, 0);
  quick_pooling(b, y, &shape, &shape, 0.0f, 1, 1.0f / columns);
  dma::store(gtensor<T>(one, GLOBAL, top), a);
  dma::store(gtensor<T>(one, GLOBAL, mean), b);
}
__KERNEL__ void reduce_fp32(float *top, float *mean, float *in, int rows,
                            int columns) {
  reduceRows(top, mean, in, rows, columns);
}
__KERNEL__ void reduce_fp16(fp16 *top, fp16 *mean, fp16 *in, int rows,
                            int columns) {
  reduceRows(top, mean, in, rows, columns);
}
template <class T, class Kernel>
static void testReduce(Kernel kernel, int columns, double atol) {
  const int rows = 90;
  dim4 shape = {1, rows, 1, columns}, one = {1, rows, 1, 1};
  T *top = ppl::malloc<T>(&one), *mean = ppl::malloc<T>(&one),
    *in = ppl::rand<T>(&shape, -1.0, 1.0);
  kernel(top, mean, in, rows, columns);
  auto reduced = [&](int r, bool maximum) {
    double most = -10, sum = 0;
    for (int w = 0; w < columns; ++w) {
      double value = float(in[r * columns + w]);
      most = std::fmax(most, value);
      sum += value;
    }
    return maximum ? most : sum / columns;
  };
  expect(top, &one, [&](int64_t r) { return reduced(int(r), true); });
  // Each of about columns / 16 + 16 sums of at most `columns` is rounded, then
  // divided by `columns`.
  expect(
      mean, &one, [&](int64_t r) { return reduced(int(r), false); }, 0, atol);
}
__TEST__ void reduce_rows_of_100() {
  testReduce<float>(reduce_fp32, 100, 40 * kFp32);
}
__TEST__ void reduce_rows_of_128() {
  testReduce<fp16>(reduce_fp16, 128, 40 * kFp16);
}
