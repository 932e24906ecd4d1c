//===- conv.cpp - convolution of f16 and of bytes with requantization -----===//
//
// in [n, ic, h, w], out [n, oc, oh, ow]. fp16: bias in fp32, optional relu.
// int8: out = round(sum * scale[oc] + offset[oc]), saturated; the offset has
// bias * scale in it.
//
// Filters lie as the unit reads them (PPL 4.6.4): [oc][ic / NIC][kh kw][NIC],
// padded with zeros to NIC channels (64 bytes).
//
//===----------------------------------------------------------------------===//

#include "ppl.h"

#include <cmath>
#include <deque>
#include <vector>

using namespace ppl;

namespace {
struct Geometry {
  int n, ic, h, w, oc, kernel, stride, pad;
  int oh() const { return (h + 2 * pad - kernel) / stride + 1; }
  int ow() const { return (w + 2 * pad - kernel) / stride + 1; }
  dim4 in() const { return {n, ic, h, w}; }
  dim4 out() const { return {n, oc, oh(), ow()}; }
};

/// Rows of the input that some rows of the output need: those that there are,
/// and how many are padding.
struct Rows {
  int first, count, top, bottom;
};
} // namespace

static Rows rowsFor(const Geometry &g, int first, int count) {
  int begin = first * g.stride - g.pad,
      end = (first + count - 1) * g.stride - g.pad + g.kernel;
  int from = max(begin, 0), to = min(end, g.h);
  return {from, to - from, from - begin, end - to};
}

namespace {
struct Tiling {
  int band;  // rows of the output at a time
  int parts; // of 64 output channels, whose filters are there together
};
} // namespace

/// Filters of as many channels as half of the memory holds, so that an image
/// is loaded once for all of them if they do. Bands low enough that there are
/// some eight, of which loads, products and stores overlap, but not lower than
/// what a transfer pays for: rows of a channel cost 256 bytes at least.
static Tiling chooseTiling(const Geometry &g, int filterBytes,
                           int elementBytes) {
  const int memory = lane_bytes(), steps = 8, sumBytes = 4, paidBytes = 256;
  int parts = div_up(g.oc, LANE_NUM);
  Tiling t = {g.oh(), max(1, min(parts, memory / 2 / filterBytes))};
  // More than one group of filters: those of the next are loaded meanwhile.
  if (t.parts < parts)
    t.parts = max(1, t.parts / 2);
  int filters = filterBytes * min(parts, 2 * t.parts);
  auto bytes = [&](int band) {
    int pixels = band * g.ow(),
        rows = min(g.h, (band - 1) * g.stride + g.kernel);
    return filters + 2 * tile_bytes(g.ic, rows * g.w, elementBytes) +
           tile_bytes(LANE_NUM, pixels, sumBytes) +
           3 * tile_bytes(LANE_NUM, pixels, elementBytes);
  };
  int wanted = max(div_up(g.oh() * g.n, steps),
                   div_up(paidBytes, g.ow() * elementBytes));
  t.band = min(t.band, max(wanted, min(g.kernel, g.oh())));
  while (t.band > 1 && bytes(t.band) > memory)
    t.band = div_up(t.band, 2);
  return t;
}

namespace {
/// Arithmetic of fp16: a bias for each channel.
struct Halves {
  using Element = fp16;
  static constexpr int kConstants = 1;
  bool relu;
  void convolve(const tensor<fp16> &out, const tensor<fp16> &in,
                const tensor<fp16> &filter, const tensor<float> &bias, int oc,
                const Geometry &g, padding_t pad) const {
    dim2 kernel = {g.kernel, g.kernel}, stride = {g.stride, g.stride},
         dilation = {1, 1};
    tiu::fconv(out, in, filter, bias, oc, &kernel, &stride, &dilation, &pad);
    if (relu)
      tiu::fmax(out, out, 0.0f);
  }
};
/// Of bytes: a scale and an offset for each channel.
struct Bytes {
  using Element = int8;
  static constexpr int kConstants = 2;
  void convolve(const tensor<int8> &out, const tensor<int8> &in,
                const tensor<int8> &filter, const tensor<float> &quant, int oc,
                const Geometry &g, padding_t pad) const {
    dim2 kernel = {g.kernel, g.kernel}, stride = {g.stride, g.stride},
         dilation = {1, 1};
    dim4 shape = out.getShape();
    tensor<int32> sums(shape);
    tiu::conv(sums, in, filter, oc, &kernel, &stride, &dilation, &pad, 0, false,
              DT_INT32, 0);
    tiu::rq0(out, sums, quant, RM_HALF_TO_EVEN, RM_HALF_TO_EVEN);
  }
};

/// The filters and constants of 64 output channels at most. Constants have the
/// layout that the functions ask for on the chip.
template <class Arithmetic>
struct Part {
  using T = typename Arithmetic::Element;
  int first, count;
  tensor<T> filter;
  tensor<float> constants;
  Part(int first, int count, int rows)
      : first(first), count(count),
        filter(dim4{1, count, rows, get_nic<T>()}, TPU_COMPACT),
        constants(dim4{1, count, 1, Arithmetic::kConstants}) {}
};

/// A band of rows of one image.
template <class T>
struct Band {
  int image, first, count;
  Rows rows;
  tensor<T> input;
  Band(const Geometry &g, int image, int first, int count)
      : image(image), first(first), count(count),
        rows(rowsFor(g, first, count)), input(dim4{1, g.ic, rows.count, g.w}) {}
};
} // namespace

/// The order of the source is that of the engines: the input of the next band
/// is loaded before this one is computed, filters where their first band needs
/// them, results are stored a part of the channels at a time.
template <class Arithmetic, class T>
static void convolve(const Arithmetic &arithmetic, T *out, T *in, T *filter,
                     float *constants, const Geometry &g) {
  assert(g.n >= 1 && g.ic >= 1 && g.oc >= 1 && g.stride >= 1 && g.kernel >= 1);
  assert(g.oh() >= 1 && g.ow() >= 1 && "no window fits the image");
  int nic = get_nic<T>(), filterRows = div_up(g.ic, nic) * g.kernel * g.kernel;
  Tiling t = chooseTiling(g, filterRows * nic * sizeof(T), sizeof(T));
  gtensor<T> gin(g.in(), GLOBAL, in), gout(g.out(), GLOBAL, out),
      gf({1, g.oc, filterRows, nic}, GLOBAL, filter);
  gtensor<float> gc({1, g.oc, 1, Arithmetic::kConstants}, GLOBAL, constants);
  int channels = t.parts * LANE_NUM;
  for (int group = 0; group < g.oc; group += channels) {
    std::deque<Part<Arithmetic>> parts;
    std::deque<Band<T>> bands;
    auto load = [&](int index) {
      int each = div_up(g.oh(), t.band);
      if (index >= each * g.n)
        return;
      int first = index % each * t.band;
      Band<T> &b = bands.emplace_back(g, index / each, first,
                                      min(t.band, g.oh() - first));
      dim4 shape = {1, g.ic, b.rows.count, g.w};
      dma::load(b.input, gin.sub_view(shape, {b.image, 0, b.rows.first, 0}));
    };
    load(0);
    for (int first = group; first < min(g.oc, group + channels);
         first += LANE_NUM) {
      auto &p =
          parts.emplace_back(first, min(LANE_NUM, g.oc - first), filterRows);
      dim4 fs = {1, p.count, filterRows, nic},
           cs = {1, p.count, 1, Arithmetic::kConstants}, at = {0, first, 0, 0};
      dma::load_compact(p.filter, gf.sub_view(fs, at));
      dma::load(p.constants, gc.sub_view(cs, at));
    }
    while (!bands.empty()) {
      load(bands.front().image * div_up(g.oh(), t.band) +
           bands.front().first / t.band + 1);
      Band<T> &b = bands.front();
      padding_t pad = {b.rows.top, b.rows.bottom, g.pad, g.pad};
      for (auto &p : parts) {
        dim4 shape = {1, p.count, b.count, g.ow()};
        tensor<T> result(shape);
        arithmetic.convolve(result, b.input, p.filter, p.constants, p.count, g,
                            pad);
        dma::store(gout.sub_view(shape, {b.image, p.first, b.first, 0}),
                   result);
      }
      bands.pop_front();
    }
  }
}

__KERNEL__ void conv_f16(fp16 *out, fp16 *in, fp16 *filter, float *bias, int n,
                         int ic, int h, int w, int oc, int kernel, int stride,
                         int pad, bool relu) {
  convolve(Halves{relu}, out, in, filter, bias,
           {n, ic, h, w, oc, kernel, stride, pad});
}
__KERNEL__ void conv_int8(int8 *out, int8 *in, int8 *filter, float *quant,
                          int n, int ic, int h, int w, int oc, int kernel,
                          int stride, int pad) {
  convolve(Bytes(), out, in, filter, quant,
           {n, ic, h, w, oc, kernel, stride, pad});
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

/// Filters [oc, ic, kernel, kernel] as the unit reads them.
template <class T>
static void pack(T *packed, const std::vector<T> &filter, const Geometry &g) {
  int nic = get_nic<T>(), taps = g.kernel * g.kernel;
  for (int o = 0; o < g.oc; ++o)
    for (int i = 0; i < g.ic; ++i)
      for (int p = 0; p < taps; ++p)
        packed[((o * div_up(g.ic, nic) + i / nic) * taps + p) * nic + i % nic] =
            filter[(o * g.ic + i) * taps + p];
}

/// The sums of all windows.
template <class Sum, class T>
static std::vector<Sum> sumsOf(const T *in, const std::vector<T> &filter,
                               const Geometry &g) {
  std::vector<Sum> sums(size_t(g.n) * g.oc * g.oh() * g.ow());
  std::vector<Sum> x(size_t(g.n) * g.ic * g.h * g.w);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = Sum(in[i]);
  Sum *sum = sums.data();
  for (int n = 0; n < g.n; ++n)
    for (int o = 0; o < g.oc; ++o, sum += g.oh() * g.ow())
      for (int i = 0; i < g.ic; ++i)
        for (int p = 0; p < g.kernel * g.kernel; ++p) {
          Sum factor = Sum(filter[(o * g.ic + i) * g.kernel * g.kernel + p]);
          for (int y = 0; y < g.oh(); ++y) {
            int row = y * g.stride + p / g.kernel - g.pad;
            if (row < 0 || row >= g.h)
              continue;
            const Sum *line = &x[((n * g.ic + i) * g.h + row) * g.w];
            for (int c = 0; c < g.ow(); ++c) {
              int column = c * g.stride + p % g.kernel - g.pad;
              if (column >= 0 && column < g.w)
                sum[y * g.ow() + c] += factor * line[column];
            }
          }
        }
  return sums;
}

static void testHalves(const Geometry &g, bool relu) {
  dim4 in = g.in(), out = g.out(), bs = {1, g.oc, 1, 1};
  int taps = g.kernel * g.kernel, terms = g.ic * taps;
  dim4 fs = {1, g.oc, div_up(g.ic, get_nic<fp16>()) * taps, get_nic<fp16>()};
  fp16 *y = ppl::malloc<fp16>(&out), *x = ppl::rand<fp16>(&in, -1.0, 1.0),
       *f = ppl::malloc<fp16>(&fs);
  float *b = ppl::rand<float>(&bs, -1.0, 1.0);
  std::vector<fp16> filter(size_t(g.oc) * terms);
  ppl::rand(filter, -1.0, 1.0);
  pack(f, filter, g);
  conv_f16(y, x, f, b, g.n, g.ic, g.h, g.w, g.oc, g.kernel, g.stride, g.pad,
           relu);
  std::vector<float> sums = sumsOf<float>(x, filter, g);
  // Two sums in fp32 of terms of both signs, at most 1: partial sums stay below
  // 4 sqrt(terms), and so do, in units of 2^-24 of them, roundings, which go up
  // as often as down. Then the result is rounded.
  expect(
      y, &out,
      [&](int n, int o, int r, int c) {
        float sum = b[o] + sums[((n * g.oc + o) * g.oh() + r) * g.ow() + c];
        return relu ? std::fmax(sum, 0.0f) : sum;
      },
      1.01 * 0x1p-11, 8 * terms * 0x1p-24);
}
__TEST__ void conv_f16_128x56x56() {
  testHalves({1, 128, 56, 56, 128, 3, 1, 1}, true);
}
__TEST__ void conv_f16_odd() {
  testHalves({2, 35, 13, 11, 70, 3, 2, 1}, false);
}
__TEST__ void conv_f16_one_pixel() {
  testHalves({3, 65, 1, 1, 5, 1, 1, 0}, true);
}
// Filters of several groups.
__TEST__ void conv_f16_many_channels() {
  testHalves({1, 1030, 3, 3, 300, 3, 1, 1}, false);
}

static void testBytes(const Geometry &g) {
  dim4 in = g.in(), out = g.out(), qs = {1, g.oc, 1, 2};
  int taps = g.kernel * g.kernel, terms = g.ic * taps;
  dim4 fs = {1, g.oc, div_up(g.ic, get_nic<int8>()) * taps, get_nic<int8>()};
  int8 *y = ppl::malloc<int8>(&out), *x = ppl::rand<int8>(&in, -128, 127),
       *f = ppl::malloc<int8>(&fs);
  float *q = ppl::malloc<float>(&qs);
  // Sums are some 74^2 sqrt(terms).
  for (int o = 0; o < g.oc; ++o) {
    q[2 * o] =
        float((1 + o % 7) / 7.0 * 64 / (5500 * std::sqrt(double(terms))));
    q[2 * o + 1] = float(o % 41 - 20);
  }
  std::vector<int8> filter(size_t(g.oc) * terms);
  ppl::rand(filter, -128, 127);
  pack(f, filter, g);
  conv_int8(y, x, f, q, g.n, g.ic, g.h, g.w, g.oc, g.kernel, g.stride, g.pad);
  std::vector<int> sums = sumsOf<int>(x, filter, g);
  expect(y, &out, [&](int n, int o, int r, int c) {
    float sum = float(sums[((n * g.oc + o) * g.oh() + r) * g.ow() + c]);
    // Two roundings, as PPL 4.6.7.6 says: no fused product and sum.
    volatile float scaled = sum * q[2 * o];
    return std::fmax(-128,
                     std::fmin(127, std::nearbyint(scaled + q[2 * o + 1])));
  });
}
__TEST__ void conv_int8_128x56x56() {
  testBytes({1, 128, 56, 56, 128, 3, 1, 1});
}
__TEST__ void conv_int8_512x7x7() { testBytes({1, 512, 7, 7, 512, 3, 1, 1}); }
__TEST__ void conv_int8_odd() { testBytes({2, 67, 15, 9, 65, 3, 2, 1}); }
__TEST__ void conv_int8_five_by_five() {
  testBytes({1, 3, 33, 21, 20, 5, 3, 2});
}
