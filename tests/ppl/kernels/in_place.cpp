//===- in_place.cpp - results in the place of a source, parts, lanes ------===//

#include "ppl/ppl.h"

using namespace ppl;

static const dim4 kShape = {2, 70, 3, 5};

// PPL 4.6.1: dst may be exactly a source. One step after the other in one
// tensor, and selects that keep what is there.
__KERNEL__ void in_place(float *out, float *in, float *scale) {
  dim4 row = {1, 70, 1, 1};
  tensor<float> x(kShape), k(row, TPU_COMPACT);
  dma::load(x, gtensor<float>(kShape, GLOBAL, in));
  dma::load(k, gtensor<float>(row, GLOBAL, scale));
  tiu::fadd(x, x, 1.0f);
  tiu::fmul(x, k, x);
  tiu::fsub_abs(x, x, 2.0f);
  tiu::fmac(x, x, k); // the product is of the old x
  tiu::gt_select(x, x, 3.0f, 3.0f, x);
  tiu::fscale(x, x, k, 0.5f);
  auto bits = x.view<int32>();
  tiu::cast(bits, x, RM_DOWN);
  tiu::mul(bits, bits, 3, -1, RM_DOWN, true);
  tiu::shift(bits, bits, 1, RM_DOWN);
  tiu::cast(x, bits, RM_HALF_TO_EVEN);
  dma::store(gtensor<float>(kShape, GLOBAL, out), x);
}
__TEST__ void in_place_of_a_source() {
  dim4 row = {1, 70, 1, 1};
  float *out = ppl::malloc<float>(&kShape),
        *in = ppl::rand<float>(&kShape, -4.0f, 4.0f),
        *scale = ppl::rand<float>(&row, 0.5f, 2.0f);
  in_place(out, in, scale);
  expect(out, &kShape, [&](int64_t i) {
    volatile float k = scale[i / 15 % 70], x = in[i] + 1.0f;
    x = k * x;
    x = std::fabs(x - 2.0f);
    volatile float product = x * k;
    x = x + product;
    x = x > 3 ? 3 : x;
    product = x * k;
    x = product + 0.5f;
    double whole = std::floor(float(x));
    return std::floor(whole * 3 / 2) * 2;
  });
}

// Channels from lane 60 on, which wrap around the last lane; an operand of one
// channel is copied to the lanes of the others.
__KERNEL__ void wrapped(float *out, float *in) {
  dim4 all = {1, 100, 3, 5}, part = {1, 30, 3, 5}, one = {1, 1, 3, 5};
  tensor<float> x(all), y(all);
  dma::load(x, gtensor<float>(all, GLOBAL, in));
  tiu::zero(y);
  auto from = x.sub_view(part, {0, 60, 0, 0}),
       to = y.sub_view(part, {0, 60, 0, 0});
  tiu::fadd(to, from, x.sub_view(one, {0, 60, 0, 0}));
  tiu::fexp(to, to);
  dma::store(gtensor<float>(all, GLOBAL, out), y);
}
__TEST__ void wraps_around_the_lanes() {
  dim4 all = {1, 100, 3, 5};
  float *out = ppl::malloc<float>(&all),
        *in = ppl::rand<float>(&all, -10.0f, 10.0f);
  wrapped(out, in);
  // fexp is within 4 ulp of fp32, 4 * 2^-24 of the value.
  expect(
      out, &all,
      [&](int64_t i) {
        int64_t c = i / 15;
        volatile float sum = in[i] + in[60 * 15 + i % 15];
        return c < 60 || c >= 90 ? 0.0 : std::exp(double(sum));
      },
      4 * 0x1p-24, 0);
}

// Parts of rows: strides in both operands.
__KERNEL__ void strided(int16 *out, int16 *in) {
  dim4 all = {2, 10, 9, 16}, part = {2, 10, 4, 7};
  tensor<int16> x(all), y(all, TPU_COMPACT);
  dma::load(x, gtensor<int16>(all, GLOBAL, in));
  tiu::zero(y);
  tiu::sub(y.sub_view(part, {0, 0, 5, 9}), x.sub_view(part, {0, 0, 2, 1}),
           x.sub_view({1, 10, 1, 7}, {1, 0, 0, 3}), -2, RM_HALF_UP, true);
  dma::store(gtensor<int16>(all, GLOBAL, out), y);
}
__TEST__ void parts_of_rows() {
  dim4 all = {2, 10, 9, 16};
  int16 *out = ppl::malloc<int16>(&all);
  int16 *in = ppl::rand<int16>(&all, -32768, 32767);
  strided(out, in);
  expect(out, &all, [&](int64_t i) {
    int64_t w = i % 16, h = i / 16 % 9, c = i / 144 % 10, n = i / 1440;
    if (h < 5 || w < 9)
      return 0.0;
    auto at = [&](int64_t n, int64_t h, int64_t w) {
      return double(in[((n * 10 + c) * 9 + h) * 16 + w]);
    };
    double x = at(n, h - 3, w - 8) - at(1, 0, w - 6);
    return std::floor(x / 4 + 0.5);
  });
}

// Two results where only their places are free for them: each takes the place
// of a source of its own, though nobody reads the first one.
__KERNEL__ void two_results(float *out, float *in) {
  dim4 shape = {1, 64, 1, 20480}; // 80 KB of each lane
  gtensor<float> from(shape, GLOBAL, in);
  tensor<float> a(shape), b(shape), unread(shape), selected(shape);
  dma::load(a, from);
  dma::load(b, from);
  tiu::max_gt_select(unread, selected, a, b, 1.0f, 2.0f);
  dma::store(gtensor<float>(shape, GLOBAL, out), selected);
}
__TEST__ void two_results_in_place() {
  dim4 shape = {1, 64, 1, 20480};
  float *out = ppl::malloc<float>(&shape),
        *in = ppl::rand<float>(&shape, -1.0f, 1.0f);
  two_results(out, in);
  expect(out, &shape, [](int64_t) { return 2.0; }, 0, 0);
}
