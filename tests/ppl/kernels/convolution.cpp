//===- convolution.cpp - convolutions of floats and bytes -----------------===//

#include "tiles.h"

using namespace ppl;

// PPL 4.6.4: weights [oc, ic, kh, kw] lie as [1, oc, groups * kh * kw, NIC].
template <class T>
static std::vector<T> packed(const T *weight, int oc, int ic, int kernel,
                             int nic) {
  int groups = (ic + nic - 1) / nic, positions = kernel * kernel;
  std::vector<T> result(size_t(oc) * groups * positions * nic);
  for (int o = 0; o < oc; ++o)
    for (int i = 0; i < ic; ++i)
      for (int p = 0; p < positions; ++p)
        result[((size_t(o) * groups + i / nic) * positions + p) * nic +
               i % nic] = weight[(o * ic + i) * positions + p];
  return result;
}

namespace {
struct Geometry {
  int n, ic, h, w, oc, kernel, stride, pad;
  int oh() const { return (h + 2 * pad - kernel) / stride + 1; }
  int ow() const { return (w + 2 * pad - kernel) / stride + 1; }
  dim4 in() const { return {n, ic, h, w}; }
  dim4 out() const { return {n, oc, oh(), ow()}; }
};
} // namespace

/// Sum over the window of one result; `term(in index, weight index)`.
template <class Term>
static double windowSum(const Geometry &g, bool depthwise, int n, int o, int y,
                        int x, Term term) {
  double sum = 0;
  int channels = depthwise ? 1 : g.ic;
  for (int i = 0; i < channels; ++i)
    for (int p = 0; p < g.kernel; ++p)
      for (int q = 0; q < g.kernel; ++q) {
        int row = y * g.stride + p - g.pad, column = x * g.stride + q - g.pad;
        if (row < 0 || row >= g.h || column < 0 || column >= g.w)
          continue;
        int c = depthwise ? o : i;
        sum += term(((n * g.ic + c) * g.h + row) * g.w + column,
                    ((o * channels + i) * g.kernel + p) * g.kernel + q);
      }
  return sum;
}

// One image a round.
template <class T>
static void convolve(float *out, T *in, T *weight, float *bias,
                     const Geometry &g, bool pipelined) {
  int nic = get_nic<T>(), taps = g.kernel * g.kernel;
  dim4 ws = {1, g.oc, div_up(g.ic, nic) * taps, nic}, bs = {1, g.oc, 1, 1},
       one = {1, g.ic, g.h, g.w}, result = {1, g.oc, g.oh(), g.ow()};
  tensor<T> w(ws, TPU_COMPACT);
  tensor<float> b(bs, TPU_COMPACT);
  dma::load_compact(w, gtensor<T>(ws, GLOBAL, weight));
  dma::load_compact(b, gtensor<float>(bs, GLOBAL, bias));
  gtensor<T> gin(g.in(), GLOBAL, in);
  gtensor<float> gout(g.out(), GLOBAL, out);
  dim2 kernel = {g.kernel, g.kernel}, stride = {g.stride, g.stride},
       dilation = {1, 1};
  padding_t pad = {g.pad, g.pad, g.pad, g.pad};
  forTiles(pipelined, g.n, 1, [&](int image, int) {
    tensor<T> x(one);
    tensor<float> y(result);
    dma::load(x, gin.sub_view(one, {image, 0, 0, 0}));
    tiu::fconv(y, x, w, b, g.oc, &kernel, &stride, &dilation, &pad, false,
               DT_FP32);
    dma::store(gout.sub_view(result, {image, 0, 0, 0}), y);
  });
}
__KERNEL__ void conv_fp16(float *out, fp16 *in, fp16 *weight, float *bias,
                          int n, int ic, int h, int w, int oc, int kernel,
                          int stride, int pad, bool pipelined) {
  convolve(out, in, weight, bias,
           Geometry{n, ic, h, w, oc, kernel, stride, pad}, pipelined);
}
static void testConv(Geometry g, bool pipelined) {
  dim4 in = g.in(), out = g.out(), bs = {1, g.oc, 1, 1};
  int nic = get_nic<fp16>();
  dim4 ws = {1, g.oc, div_up(g.ic, nic) * g.kernel * g.kernel, nic};
  float *y = ppl::malloc<float>(&out), *b = ppl::rand<float>(&bs, -1.0, 1.0);
  fp16 *x = ppl::rand<fp16>(&in, -1.0, 1.0), *w = ppl::malloc<fp16>(&ws);
  std::vector<fp16> weight(size_t(g.oc) * g.ic * g.kernel * g.kernel);
  ppl::rand(weight, -1.0, 1.0);
  std::vector<fp16> order = packed(weight.data(), g.oc, g.ic, g.kernel, nic);
  std::copy(order.begin(), order.end(), w);
  conv_fp16(y, x, w, b, g.n, g.ic, g.h, g.w, g.oc, g.kernel, g.stride, g.pad,
            pipelined);
  // Tails of the products below 24 bits and the roundings of the sums of 32
  // channels at one position.
  int terms = g.ic * g.kernel * g.kernel;
  expect(
      y, &out,
      [&](int n, int o, int oy, int ox) {
        return b[o] + windowSum(g, false, n, o, oy, ox, [&](int i, int j) {
                 return double(float(x[i])) * float(weight[j]);
               });
      },
      0, terms * 0x1p-23);
}
__TEST__ void conv_three_by_three() {
  testConv({2, 48, 10, 12, 40, 3, 1, 1}, false);
}
__TEST__ void conv_three_by_three_pipelined() {
  testConv({6, 32, 10, 12, 70, 3, 2, 1}, true);
}
__TEST__ void conv_one_by_one() { testConv({1, 64, 7, 7, 64, 1, 1, 0}, false); }

// Bytes: exact sum, ReLU, shift to the right with ties up, saturation.
__KERNEL__ void conv_int8(uint8 *out, int8 *in, int8 *weight, int32 *bias,
                          int ic, int h, int w, int oc, int shift) {
  int nic = get_nic<int8>();
  dim4 xs = {1, ic, h, w}, ys = {1, oc, h, w},
       ws = {1, oc, div_up(ic, nic) * 9, nic}, bs = {1, oc, 1, 1};
  tensor<int8> x(xs), k(ws, TPU_COMPACT);
  tensor<uint8> y(ys);
  tensor<int32> b(bs, TPU_COMPACT);
  dma::load(x, gtensor<int8>(xs, GLOBAL, in));
  dma::load_compact(k, gtensor<int8>(ws, GLOBAL, weight));
  dma::load_compact(b, gtensor<int32>(bs, GLOBAL, bias));
  dim2 kernel = {3, 3}, one = {1, 1};
  padding_t pad = {1, 1, 1, 1};
  tiu::conv_sym(y, x, k, b, oc, &kernel, &one, &one, &pad, true, int8(shift));
  dma::store(gtensor<uint8>(ys, GLOBAL, out), y);
}
__TEST__ void conv_int8_with_relu() {
  const Geometry g = {1, 40, 6, 7, 24, 3, 1, 1};
  const int shift = 9, nic = get_nic<int8>();
  dim4 in = g.in(), out = g.out(), bs = {1, g.oc, 1, 1},
       ws = {1, g.oc, div_up(g.ic, nic) * 9, nic};
  uint8 *y = ppl::malloc<uint8>(&out);
  int8 *x = ppl::rand<int8>(&in, -128, 127), *w = ppl::malloc<int8>(&ws);
  int32 *b = ppl::rand<int32>(&bs, -5000, 5000);
  std::vector<int8> weight(size_t(g.oc) * g.ic * 9);
  ppl::rand(weight, -128, 127);
  std::vector<int8> order = packed(weight.data(), g.oc, g.ic, 3, nic);
  std::copy(order.begin(), order.end(), w);
  conv_int8(y, x, w, b, g.ic, g.h, g.w, g.oc, shift);
  expect(y, &out, [&](int n, int o, int oy, int ox) {
    double sum = b[o] + windowSum(g, false, n, o, oy, ox, [&](int i, int j) {
                   return double(x[i]) * weight[j];
                 });
    double shifted = std::floor((std::fmax(sum, 0) + 256) / 512);
    return std::fmin(shifted, 255);
  });
}

// Depthwise: a kernel a channel.
__KERNEL__ void depthwise(float *out, float *in, float *weight, float *bias,
                          int n, int c, int h, int w, bool pipelined) {
  Geometry g = {n, c, h, w, c, 3, 2, 1};
  dim4 ws = {1, c, 3, 3}, bs = {1, c, 1, 1}, one = {1, c, h, w},
       result = {1, c, g.oh(), g.ow()};
  tensor<float> k(ws, TPU_COMPACT), b(bs, TPU_COMPACT);
  dma::load_compact(k, gtensor<float>(ws, GLOBAL, weight));
  dma::load_compact(b, gtensor<float>(bs, GLOBAL, bias));
  gtensor<float> gin(g.in(), GLOBAL, in), gout(g.out(), GLOBAL, out);
  dim2 kernel = {3, 3}, stride = {2, 2}, dilation = {1, 1};
  padding_t pad = {1, 1, 1, 1};
  forTiles(pipelined, n, 1, [&](int image, int) {
    tensor<float> x(one), y(result);
    dma::load(x, gin.sub_view(one, {image, 0, 0, 0}));
    tiu::fdw_conv(y, x, k, b, &kernel, &pad, &stride, &dilation);
    dma::store(gout.sub_view(result, {image, 0, 0, 0}), y);
  });
}
static void testDepthwise(bool pipelined) {
  const Geometry g = {4, 80, 11, 10, 80, 3, 2, 1};
  dim4 in = g.in(), out = g.out(), ws = {1, g.oc, 3, 3}, bs = {1, g.oc, 1, 1};
  float *y = ppl::malloc<float>(&out), *x = ppl::rand<float>(&in, -1.0, 1.0),
        *w = ppl::rand<float>(&ws, -1.0, 1.0),
        *b = ppl::rand<float>(&bs, -1.0, 1.0);
  depthwise(y, x, w, b, g.n, g.ic, g.h, g.w, pipelined);
  // Nine products and ten sums, of at most 10.
  expect(
      y, &out,
      [&](int n, int o, int oy, int ox) {
        return b[o] + windowSum(g, true, n, o, oy, ox, [&](int i, int j) {
                 return double(x[i]) * w[j];
               });
      },
      0, 19 * 4 * kFp32);
}
__TEST__ void depthwise_with_stride() { testDepthwise(false); }
__TEST__ void depthwise_with_stride_pipelined() { testDepthwise(true); }

// Transposed: zeros between the inputs, and a turned kernel.
__KERNEL__ void upsample_deconv(fp16 *out, fp16 *in, fp16 *weight, int ic,
                                int h, int w, int oc) {
  int nic = get_nic<fp16>();
  dim4 xs = {1, ic, h, w}, ys = {1, oc, 2 * h, 2 * w},
       ws = {1, oc, div_up(ic, nic) * 4, nic};
  tensor<fp16> x(xs), y(ys), k(ws, TPU_COMPACT);
  dma::load(x, gtensor<fp16>(xs, GLOBAL, in));
  dma::load_compact(k, gtensor<fp16>(ws, GLOBAL, weight));
  dim2 kernel = {2, 2}, insert = {1, 1}, dilation = {1, 1};
  padding_t pad = {1, 1, 1, 1};
  tiu::fdeconv(y, x, k, None, oc, &kernel, &insert, &pad, &dilation, false,
               false);
  dma::store(gtensor<fp16>(ys, GLOBAL, out), y);
}
__TEST__ void deconv_doubles_the_size() {
  const int ic = 20, h = 5, w = 4, oc = 16, nic = get_nic<fp16>();
  dim4 in = {1, ic, h, w}, out = {1, oc, 2 * h, 2 * w},
       ws = {1, oc, div_up(ic, nic) * 4, nic};
  fp16 *y = ppl::malloc<fp16>(&out), *x = ppl::rand<fp16>(&in, -1.0, 1.0),
       *k = ppl::malloc<fp16>(&ws);
  std::vector<fp16> weight(size_t(oc) * ic * 4);
  ppl::rand(weight, -1.0, 1.0);
  std::vector<fp16> order = packed(weight.data(), oc, ic, 2, nic);
  std::copy(order.begin(), order.end(), k);
  upsample_deconv(y, x, k, ic, h, w, oc);
  // Each result meets one tap: 20 products, rounded to fp16.
  expect(
      y, &out,
      [&](int, int o, int oy, int ox) {
        double sum = 0;
        for (int i = 0; i < ic; ++i)
          for (int p = 0; p < 2; ++p)
            for (int q = 0; q < 2; ++q) {
              // The kernel is turned by half a turn and meets the inputs
              // spread to every second place, one zero of padding before them.
              int row = oy + p - 1, column = ox + q - 1;
              if (row < 0 || column < 0 || row % 2 || column % 2 ||
                  row / 2 >= h || column / 2 >= w)
                continue;
              sum += double(float(x[(i * h + row / 2) * w + column / 2])) *
                     float(weight[((o * ic + i) * 2 + (1 - p)) * 2 + 1 - q]);
            }
        return sum;
      },
      1.01 * kFp16, ic * 0x1p-23);
}
