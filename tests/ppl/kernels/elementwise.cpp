//===- elementwise.cpp - sums and products of tensors --------------------===//

#include "tiles.h"

using namespace ppl;

// PPL 3.1: load, compute, store, a tile of rows at a time.
template <class T>
static void addTiles(T *out, T *a, T *b, int rows, int columns, int tile,
                     bool pipelined) {
  dim4 all = {1, rows, 1, columns}, block = {1, tile, 1, columns};
  gtensor<T> ga(all, GLOBAL, a), gb(all, GLOBAL, b), go(all, GLOBAL, out);
  forTiles(pipelined, rows, tile, [&](int row, int count) {
    dim4 part = {1, count, 1, columns}, at = {0, row, 0, 0};
    auto x = make_tensor<T>(block, part), y = make_tensor<T>(block, part),
         sum = make_tensor<T>(block, part);
    dma::load(x, ga.sub_view(part, at));
    dma::load(y, gb.sub_view(part, at));
    tiu::fadd(sum, x, y);
    dma::store(go.sub_view(part, at), sum);
  });
}

__KERNEL__ void add_fp32(float *out, float *a, float *b, int rows, int columns,
                         const int tile) {
  addTiles(out, a, b, rows, columns, tile, false);
}
__KERNEL__ void add_fp32_pipelined(float *out, float *a, float *b, int rows,
                                   int columns, const int tile) {
  addTiles(out, a, b, rows, columns, tile, true);
}
__KERNEL__ void add_bf16(bf16 *out, bf16 *a, bf16 *b, int rows, int columns,
                         const int tile) {
  addTiles(out, a, b, rows, columns, tile, true);
}

// One rounding: the sum of two fp32 or two bf16 numbers, exact in double, is
// rounded once, so the reference rounds it too and must be equal.
template <class T, class Kernel>
static void testAdd(Kernel kernel, int rows, int columns, int tile) {
  dim4 shape = {1, rows, 1, columns};
  T *out = ppl::malloc<T>(&shape);
  T *a = ppl::rand<T>(&shape, -4.0, 4.0), *b = ppl::rand<T>(&shape, -4.0, 4.0);
  kernel(out, a, b, rows, columns, tile);
  expect(out, &shape, [&](int64_t i) {
    return double(float(T(float(double(float(a[i])) + double(float(b[i]))))));
  });
}
__TEST__ void add_of_five_tiles() { testAdd<float>(add_fp32, 300, 96, 64); }
__TEST__ void add_of_five_tiles_pipelined() {
  testAdd<float>(add_fp32_pipelined, 300, 96, 64);
}
__TEST__ void add_of_odd_sizes_bf16() { testAdd<bf16>(add_bf16, 131, 77, 50); }

// PPL 4.6.1: an integer sum with shift, rounding and saturation.
__KERNEL__ void average_int8(int8 *out, int8 *a, int8 *b, int count) {
  dim4 shape = {1, 64, 1, count};
  tensor<int8> x(shape), y(shape), mean(shape);
  dma::load(x, gtensor<int8>(shape, GLOBAL, a));
  dma::load(y, gtensor<int8>(shape, GLOBAL, b));
  tiu::add(mean, x, y, -1, RM_HALF_AWAY_FROM_ZERO, true);
  dma::store(gtensor<int8>(shape, GLOBAL, out), mean);
}
__TEST__ void average_rounds_away_from_zero() {
  dim4 shape = {1, 64, 1, 100};
  int8 *out = ppl::malloc<int8>(&shape);
  int8 *a = ppl::rand<int8>(&shape, -128, 127),
       *b = ppl::rand<int8>(&shape, -128, 127);
  average_int8(out, a, b, 100);
  expect(out, &shape, [&](int64_t i) {
    int sum = a[i] + b[i];
    return sum < 0 ? -((1 - sum) / 2) : (sum + 1) / 2;
  });
}

// PPL 4.6.8: scale and bias of each channel, then a clip.
__KERNEL__ void scale_clip(float *out, float *in, float *scale, float *bias,
                           float low, float high, int n, int c, int h, int w,
                           bool pipelined) {
  dim4 one = {1, c, h, w}, all = {n, c, h, w}, channels = {1, c, 1, 1};
  tensor<float> s(channels, TPU_COMPACT), b(channels, TPU_COMPACT);
  dma::load(s, gtensor<float>(channels, GLOBAL, scale));
  dma::load(b, gtensor<float>(channels, GLOBAL, bias));
  gtensor<float> gin(all, GLOBAL, in), gout(all, GLOBAL, out);
  forTiles(pipelined, n, 1, [&](int image, int) {
    dim4 at = {image, 0, 0, 0};
    tensor<float> x(one), y(one), z(one), clipped(one);
    dma::load(x, gin.sub_view(one, at));
    tiu::fscale(y, x, s, b);
    tiu::fmax(z, y, low);
    tiu::fmin(clipped, z, high);
    dma::store(gout.sub_view(one, at), clipped);
  });
}
static void testScaleClip(bool pipelined) {
  dim4 shape = {5, 70, 6, 9}, channels = {1, 70, 1, 1};
  float *out = ppl::malloc<float>(&shape),
        *in = ppl::rand<float>(&shape, -2.0, 2.0),
        *scale = ppl::rand<float>(&channels, 0.5, 2.0),
        *bias = ppl::rand<float>(&channels, -1.0, 1.0);
  scale_clip(out, in, scale, bias, -1.5f, 1.5f, 5, 70, 6, 9, pipelined);
  // The product and the sum round to fp32 one after the other.
  expect(out, &shape, [&](int n, int c, int h, int w) {
    float product = in[((n * 70 + c) * 6 + h) * 9 + w] * scale[c];
    float y = product + bias[c];
    return std::fmin(std::fmax(y, -1.5f), 1.5f);
  });
}
__TEST__ void scale_clip_of_images() { testScaleClip(false); }
__TEST__ void scale_clip_of_images_pipelined() { testScaleClip(true); }

// PPL 4.6.1: N, C, H and W of either operand may be 1.
__KERNEL__ void outer_sum(float *out, float *column, float *row, int c, int w) {
  dim4 whole = {1, c, 1, w}, left = {1, c, 1, 1}, top = {1, 1, 1, w};
  tensor<float> x(left), y(top), sum(whole);
  dma::load(x, gtensor<float>(left, GLOBAL, column));
  dma::load(y, gtensor<float>(top, GLOBAL, row));
  tiu::fadd(sum, x, y);
  dma::store(gtensor<float>(whole, GLOBAL, out), sum);
}
__TEST__ void outer_sum_broadcasts_both() {
  dim4 shape = {1, 64, 1, 40}, left = {1, 64, 1, 1}, top = {1, 1, 1, 40};
  float *out = ppl::malloc<float>(&shape),
        *column = ppl::rand<float>(&left, -1.0, 1.0),
        *row = ppl::rand<float>(&top, -1.0, 1.0);
  outer_sum(out, column, row, 64, 40);
  expect(out, &shape, [&](int, int c, int, int w) {
    return float(double(column[c]) + row[w]);
  });
}
