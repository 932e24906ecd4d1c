//===- depthwise.cpp - depthwise convolution of f16 -----------------------===//
//
// out [n, c, oh, ow] of in [n, c, h, w]: a filter [kernel, kernel] and a bias
// for each channel, optional relu.
//
//===----------------------------------------------------------------------===//

#include "ppl.h"

#include <cmath>
#include <vector>

using namespace ppl;

namespace {
struct Geometry {
  int n, c, h, w, kernel, stride, pad;
  int oh() const { return (h + 2 * pad - kernel) / stride + 1; }
  int ow() const { return (w + 2 * pad - kernel) / stride + 1; }
  dim4 in() const { return {n, c, h, w}; }
  dim4 out() const { return {n, c, oh(), ow()}; }
};
} // namespace

namespace {
struct Tiling {
  int channels, band; // channels, and rows of the output, of a step
};
} // namespace

/// Whole planes if they fit: they are one run of DRAM, and all of its channels
/// serve them. Some sixteen steps, in which loads, computations and stores
/// overlap, by fewer channels than there are lanes: the unit is idle most of
/// the time anyway, unless there are too few for the window (50 bytes a cycle
/// against a tap of 32 elements in each lane a cycle).
static Tiling chooseTiling(const Geometry &g) {
  const int memory = lane_bytes(), steps = 16, leastBytes = 32 * 1024;
  auto bytes = [&](int band) {
    int rows = min(g.h, (band - 1) * g.stride + g.kernel);
    return 3 * (align(rows * g.w * 2, eu_bytes()) +
                align(band * g.ow() * 2, eu_bytes()));
  };
  Tiling t = {min(g.c, LANE_NUM), g.oh()};
  while (t.band > 1 && bytes(t.band) > memory * 3 / 4)
    t.band = div_up(t.band, 2);
  int taps = g.kernel * g.kernel, bands = div_up(g.oh(), t.band);
  auto isWorth = [&](int channels) {
    return channels * 32 * 4 >= (taps + 1) * 50 &&
           channels * g.h * g.w * 2 / bands >= leastBytes;
  };
  while (g.n * bands * div_up(g.c, t.channels) < steps &&
         isWorth(t.channels / 2))
    t.channels /= 2;
  return t;
}

/// Channels in blocks that all begin in lane 0.
static void loadBlocks(const tensor<fp16> &all, fp16 *from, const Geometry &g,
                       int channels, int size) {
  int whole = g.c / channels, rest = g.c % channels;
  dim4 blocks = {whole, channels, size, size}, last = {1, rest, size, size};
  if (whole)
    dma::load_compact(all.sub_view(blocks, {0, 0, 0, 0}),
                      gtensor<fp16>(blocks, GLOBAL, from));
  if (rest)
    dma::load_compact(all.sub_view(last, {whole, 0, 0, 0}),
                      gtensor<fp16>({1, g.c, size, size}, GLOBAL, from)
                          .sub_view(last, {0, whole * channels, 0, 0}));
}

__KERNEL__ void depthwise(fp16 *out, fp16 *in, fp16 *filter, fp16 *bias, int n,
                          int c, int h, int w, int kernel, int stride, int pad,
                          bool relu) {
  Geometry g = {n, c, h, w, kernel, stride, pad};
  assert(g.n >= 1 && g.c >= 1 && g.stride >= 1 && g.kernel >= 1);
  assert(g.oh() >= 1 && g.ow() >= 1 && "no window fits the image");
  Tiling t = chooseTiling(g);
  int bands = div_up(g.oh(), t.band), blocks = div_up(c, t.channels);
  tensor<fp16> filters({blocks, t.channels, kernel, kernel}, TPU_COMPACT),
      biases({blocks, t.channels, 1, 1}, TPU_COMPACT);
  loadBlocks(filters, filter, g, t.channels, kernel);
  loadBlocks(biases, bias, g, t.channels, 1);
  gtensor<fp16> gin(g.in(), GLOBAL, in), gout(g.out(), GLOBAL, out);
  dim2 window = {kernel, kernel}, step = {stride, stride}, dilation = {1, 1};
  for (int i = 0; i < n * blocks * bands; ++i) {
    enable_pipeline();
    int image = i / (blocks * bands), block = i / bands % blocks,
        first = block * t.channels, row = i % bands * t.band,
        rows = min(t.band, g.oh() - row), channels = min(t.channels, c - first);
    // Rows of the input that there are; the others are padding.
    int begin = row * stride - pad, end = begin + (rows - 1) * stride + kernel,
        from = max(begin, 0), to = min(end, h);
    dim4 xs = {1, channels, to - from, w}, ys = {1, channels, rows, g.ow()},
         at = {block, 0, 0, 0};
    tensor<fp16> x(xs), y(ys);
    dma::load(x, gin.sub_view(xs, {image, first, from, 0}));
    padding_t padding = {from - begin, end - to, pad, pad};
    tiu::fdw_conv(y, x, filters.sub_view({1, channels, kernel, kernel}, at),
                  biases.sub_view({1, channels, 1, 1}, at), &window, &padding,
                  &step, &dilation);
    if (relu)
      tiu::fmax(y, y, 0.0f);
    dma::store(gout.sub_view(ys, {image, first, row, 0}), y);
  }
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

static void test(const Geometry &g, bool relu) {
  dim4 in = g.in(), out = g.out(), fs = {1, g.c, g.kernel, g.kernel},
       bs = {1, g.c, 1, 1};
  fp16 *y = ppl::malloc<fp16>(&out), *x = ppl::rand<fp16>(&in, -1.0, 1.0),
       *f = ppl::rand<fp16>(&fs, -1.0, 1.0),
       *b = ppl::rand<fp16>(&bs, -1.0, 1.0);
  depthwise(y, x, f, b, g.n, g.c, g.h, g.w, g.kernel, g.stride, g.pad, relu);
  int taps = g.kernel * g.kernel;
  // The unit rounds products and sums to fp16: 2 taps + 1 roundings of numbers
  // below taps + 1.
  expect(
      y, &out,
      [&](int n, int c, int oy, int ox) {
        double sum = float(b[c]);
        for (int p = 0; p < taps; ++p) {
          int row = oy * g.stride + p / g.kernel - g.pad,
              column = ox * g.stride + p % g.kernel - g.pad;
          if (row >= 0 && row < g.h && column >= 0 && column < g.w)
            sum +=
                double(float(x[((n * g.c + c) * g.h + row) * g.w + column])) *
                float(f[c * taps + p]);
        }
        return relu ? std::fmax(sum, 0.0) : sum;
      },
      0, (2 * taps + 1) * (taps + 1) * 0x1p-11 / 2);
}
__TEST__ void depthwise_256x56x56() { test({1, 256, 56, 56, 3, 1, 1}, true); }
__TEST__ void depthwise_odd() { test({2, 67, 23, 31, 3, 2, 1}, false); }
__TEST__ void depthwise_five_by_five() { test({1, 5, 40, 9, 5, 1, 2}, true); }
