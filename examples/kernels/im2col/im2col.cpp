//===- im2col.cpp - windows of an image as columns ------------------------===//
//
// out [n, c, kernel kernel, oh ow] of in [n, c, h, w]: what a product with
// filters [oc, c kernel kernel] takes (torch.nn.functional.unfold). Elements of
// 16 bits, zeros around the image.
//
//===----------------------------------------------------------------------===//

#include "ppl.h"

#include <vector>

using namespace ppl;

namespace {
struct Geometry {
  int n, c, h, w, kernel, stride, pad;
  int oh() const { return (h + 2 * pad - kernel) / stride + 1; }
  int ow() const { return (w + 2 * pad - kernel) / stride + 1; }
  int taps() const { return kernel * kernel; }
};

/// Positions `first` to below `end` of an axis whose elements at tap `tap` lie
/// in the image.
struct Inside {
  int first, end;
  Inside(int tap, int positions, int size, int stride, int pad)
      : first(max(0, div_up(max(0, pad - tap), stride))), end(first) {
    while (end < positions && end * stride + tap - pad < size)
      ++end;
  }
};
} // namespace

namespace {
struct Tiling {
  int channels, band; // channels, and rows of the output, of a step
};
} // namespace

/// Whole planes if they fit three times: they are one run of DRAM, and one is
/// filled while others are loaded and stored. Some sixteen steps, by fewer
/// channels than there are lanes: copies are short beside stores, which move 50
/// bytes a cycle, a copy two of 32 elements in each lane.
static Tiling chooseTiling(const Geometry &g) {
  const int memory = lane_bytes(), steps = 16, leastBytes = 32 * 1024;
  auto bytes = [&](int band) {
    return 3 *
           (align(((band - 1) * g.stride + g.kernel) * g.w * 2, eu_bytes()) +
            align(g.taps() * band * g.ow() * 2, eu_bytes()));
  };
  Tiling t = {min(g.c, LANE_NUM), g.oh()};
  while (t.band > 1 && bytes(t.band) > memory)
    t.band = div_up(t.band, 2);
  int bands = div_up(g.oh(), t.band);
  while (g.n * bands * div_up(g.c, t.channels) < steps && t.channels >= 16 &&
         t.channels * g.taps() * t.band * g.ow() >= leastBytes)
    t.channels /= 2;
  return t;
}

/// An image row once, taps by strided copies in the lanes: DRAM then gets whole
/// bands of rows, not a run for each row of a window.
__KERNEL__ void im2col(fp16 *out, fp16 *in, int n, int c, int h, int w,
                       int kernel, int stride, int pad) {
  Geometry g = {n, c, h, w, kernel, stride, pad};
  assert(g.n >= 1 && g.c >= 1 && g.stride >= 1 && g.kernel >= 1);
  assert(g.oh() >= 1 && g.ow() >= 1 && "no window fits the image");
  Tiling t = chooseTiling(g);
  int bands = div_up(g.oh(), t.band), blocks = div_up(c, t.channels),
      ow = g.ow();
  gtensor<fp16> gin({n, c, h, w}, GLOBAL, in),
      gout({n, c, g.taps(), g.oh() * ow}, GLOBAL, out);
  for (int i = 0; i < n * blocks * bands; ++i) {
    enable_pipeline();
    int image = i / (blocks * bands), first = i / bands % blocks * t.channels,
        row = i % bands * t.band, rows = min(t.band, g.oh() - row),
        channels = min(t.channels, c - first);
    int begin = row * stride - pad, from = max(begin, 0),
        to = min(begin + (rows - 1) * stride + kernel, h);
    dim4 ys = {1, channels, g.taps(), rows * ow};
    tensor<fp16> y(ys);
    tiu::zero(y);
    if (from < to) {
      dim4 xs = {1, channels, to - from, w};
      tensor<fp16> x(xs);
      dma::load(x, gin.sub_view(xs, {image, first, from, 0}));
      int xPlane = align((to - from) * w, get_eu_num<fp16>()),
          yPlane = align(g.taps() * rows * ow, get_eu_num<fp16>());
      for (int tap = 0; tap < g.taps(); ++tap) {
        // In rows of this band, relative to the rows that were loaded.
        Inside down(tap / kernel, rows, to - from, stride, from - begin),
            across(tap % kernel, ow, w, stride, pad);
        if (down.first >= down.end || across.first >= across.end)
          continue;
        int top = down.first * stride + tap / kernel - (from - begin),
            left = across.first * stride + tap % kernel - pad;
        dim4 shape = {1, channels, down.end - down.first,
                      across.end - across.first};
        dim4 line = {1, channels, 1, 1};
        // From the first element of each on, by strides.
        tiu::move(y.sub_view(line, {0, 0, tap, down.first * ow + across.first})
                      .view(shape, {yPlane, yPlane, ow, 1}),
                  x.sub_view(line, {0, 0, top, left})
                      .view(shape, {xPlane, xPlane, w * stride, stride}));
      }
    }
    dma::store(gout.sub_view(ys, {image, first, 0, row * ow}), y);
  }
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

static void test(const Geometry &g) {
  dim4 in = {g.n, g.c, g.h, g.w}, out = {g.n, g.c, g.taps(), g.oh() * g.ow()};
  fp16 *y = ppl::malloc<fp16>(&out), *x = ppl::rand<fp16>(&in, -1.0, 1.0);
  im2col(y, x, g.n, g.c, g.h, g.w, g.kernel, g.stride, g.pad);
  // Copies are exact.
  expect(y, &out, [&](int n, int c, int tap, int position) {
    int row = position / g.ow() * g.stride + tap / g.kernel - g.pad,
        column = position % g.ow() * g.stride + tap % g.kernel - g.pad;
    bool inside = row >= 0 && row < g.h && column >= 0 && column < g.w;
    return inside ? float(x[((n * g.c + c) * g.h + row) * g.w + column]) : 0.0f;
  });
}
__TEST__ void im2col_128x56x56() { test({1, 128, 56, 56, 3, 1, 1}); }
__TEST__ void im2col_odd() { test({2, 67, 13, 19, 3, 2, 1}); }
__TEST__ void im2col_wide_padding() { test({1, 3, 5, 4, 4, 1, 3}); }
