// Shapes, layouts and places that the compiler chooses, and memory behind
// pointers.

#include "ppl.h"
#include "ppl_wrapper_func.h"

using namespace ppl;

/// Declared outside of the loop: shaped anew in every round, the last of which
/// is smaller, and each round has a tensor of its own.
__KERNEL__ void doubled(fp16 *out, fp16 *in, int width) {
  dim4 all = {1, 64, 1, width};
  gtensor<fp16> from(all, GLOBAL, in), to(all, GLOBAL, out);
  tensor<fp16> x, y;
  tensor<fp32> wide;
  for (int w = 0; w < width; w += 1024) {
    enable_pipeline();
    dim4 part = {1, 64, 1, min(1024, width - w)}, at = {0, 0, 0, w};
    dma::load(x, from.sub_view(part, at));
    tiu::cast(wide, x);
    tiu::fmul(wide, wide, 2.0f);
    tiu::cast(y, wide, RM_HALF_TO_EVEN);
    dma::store(to.sub_view(part, at), y);
  }
}
__TEST__ void doubled_pipelined() {
  dim4 shape = {1, 64, 1, 5000};
  fp16 *out = ppl::malloc<fp16>(&shape),
       *in = ppl::rand<fp16>(&shape, -1.0f, 1.0f);
  doubled(out, in, shape.w);
  expect(out, &shape, [&](int64_t i) { return 2 * float(in[i]); });
}

/// A sum that rounds add to is carried from one to the next; the product is
/// each round's own.
__KERNEL__ void dot(float *out, float *in, int rounds) {
  gtensor<float> from({rounds, 64, 1, 32}, GLOBAL, in),
      to({1, 64, 1, 32}, GLOBAL, out);
  tensor<float> x, square, sum;
  for (int n = 0; n < rounds; ++n) {
    dma::load(x, from.sub_view({1, 64, 1, 32}, {n, 0, 0, 0}));
    tiu::fmul(square, x, x);
    if (n == 0)
      tiu::fadd(sum, square, 0.0f);
    else
      tiu::fadd(sum, sum, square);
  }
  dma::store(to, sum);
}
__TEST__ void carried_sum() {
  dim4 shape = {5, 64, 1, 32}, one = {1, 64, 1, 32};
  float *out = ppl::malloc<float>(&one),
        *in = ppl::rand<float>(&shape, -1.0f, 1.0f);
  dot(out, in, 5);
  expect(
      out, &one,
      [&](int64_t i) {
        double sum = 0;
        for (int n = 0; n < 5; ++n)
          sum += double(in[n * 2048 + i]) * in[n * 2048 + i];
        return sum;
      },
      1e-6);
}

/// Results whose shapes follow from windows, products and reductions.
__KERNEL__ void shapes(fp16 *out, fp16 *in, fp16 *matrix) {
  gtensor<fp16> from({1, 64, 9, 9}, GLOBAL, in),
      right({1, 16, 1, 40}, GLOBAL, matrix), to({1, 64, 1, 40}, GLOBAL, out);
  tensor<fp16> x, pooled, b, product;
  dim2 kernel = {3, 3}, stride = {2, 2}, dilation = {1, 1};
  padding_t pad = {0, 0, 0, 0};
  dma::load(x, from);
  tiu::fpool_max(pooled, x, &kernel, &pad, &stride, &dilation);
  dma::load(b, right);
  tiu::fmm2(product, pooled.view({1, 64, 1, 16}), b);
  dma::store(to, product);
}
__TEST__ void result_shapes() {
  dim4 to = {1, 64, 1, 40}, image = {1, 64, 9, 9}, matrix = {1, 16, 1, 40};
  fp16 *out = ppl::malloc<fp16>(&to),
       *in = ppl::rand<fp16>(&image, -1.0f, 1.0f),
       *right = ppl::rand<fp16>(&matrix, -1.0f, 1.0f);
  shapes(out, in, right);
  expect(
      out, &to,
      [&](int, int c, int, int w) {
        double sum = 0;
        for (int k = 0; k < 16; ++k) {
          float most = -2;
          for (int tap = 0; tap < 9; ++tap)
            most = max(most, float(in[(c * 9 + k / 4 * 2 + tap / 3) * 9 +
                                      k % 4 * 2 + tap % 3]));
          sum += most * float(right[k * 40 + w]);
        }
        return sum;
      },
      0x1p-10, 1e-4);
}

/// The positions are loaded before the function is called that wants them
/// compact; strided memory is read by pointer.
__KERNEL__ void picked(fp16 *out, fp16 *in, uint16 *which) {
  dim4 shape = {1, 64, 1, 16}, at = {0, 0, 0, 4}, stride = {1280, 20, 20, 1};
  tensor<fp16> x(shape), y;
  tensor<uint16> index({1, 16, 1, 1});
  dma::load(x, in, &at, &stride);
  dma::load(index, which);
  tiu::gather_w(y, x, index);
  dma::store(out, y);
}
__TEST__ void compact_by_itself() {
  dim4 from = {1, 64, 1, 20}, shape = {1, 64, 1, 16}, list = {1, 16, 1, 1};
  fp16 *out = ppl::malloc<fp16>(&shape),
       *in = ppl::rand<fp16>(&from, -1.0f, 1.0f);
  uint16 *which = ppl::rand<uint16>(&list, 0, 15);
  picked(out, in, which);
  expect(out, &shape, [&](int, int c, int, int w) {
    return float(in[c * 20 + 4 + which[w]]);
  });
}

/// Two tensors of 160 KB a lane: the result takes the place of its source.
__KERNEL__ void large(int16 *out, int16 *in) {
  dim4 shape = {200, 64, 20, 20};
  tensor<int16> x(shape), y(shape);
  dma::load(x, in);
  tiu::add(y, x, 3, 0, 0, true);
  dma::store(out, y);
}
__TEST__ void in_place_of_its_source() {
  dim4 shape = {200, 64, 20, 20};
  int16 *out = ppl::malloc<int16>(&shape),
        *in = ppl::rand<int16>(&shape, -1000, 1000);
  large(out, in);
  expect(out, &shape, [&](int64_t i) { return in[i] + 3; });
}

/// As a number a count is the most there can be.
__KERNEL__ void listed(int *out, int8 *in) {
  dim4 shape = {1, 1, 1, 64};
  gtensor<int8> from(shape, GLOBAL, in);
  gtensor<int> to(shape, GLOBAL, out);
  unsigned count = dma::nonzero(to, from, 0);
  assert(count == 64);
}
__TEST__ void count_as_number() {
  dim4 shape = {1, 1, 1, 64};
  int *out = ppl::malloc<int>(&shape);
  int8 *in = ppl::malloc<int8>(&shape);
  std::vector<int> wanted(64);
  for (int i = 0, next = 0; i < 64; ++i)
    if ((in[i] = int8(i % 3 == 0)))
      wanted[next++] = i;
  listed(out, in);
  expect(out, &shape, wanted);
}

/// A tensor that has a shape from before a loop keeps it in every round, also
/// where a call reads nothing that has one.
__KERNEL__ void filled(float *out, float *in) {
  dim4 all = {1, 64, 4, 64}, one = {1, 64, 1, 64};
  gtensor<float> from(all, GLOBAL, in), to(all, GLOBAL, out);
  tensor<float> x, sum;
  dma::load(x, from.sub_view(one, {0, 0, 0, 0}));
  tiu::fadd(sum, x, 0.0f);
  dma::store(to.sub_view(one, {0, 0, 0, 0}), sum);
  for (int i = 0; i < 4; ++i) {
    enable_pipeline();
    dim4 at = {0, 0, i, 0};
    dma::load(x, from.sub_view(one, at));
    tiu::fill(sum, 1.0f);
    tiu::fadd(sum, sum, x);
    dma::store(to.sub_view(one, at), sum);
  }
}
__TEST__ void filled_in_rounds() {
  dim4 all = {1, 64, 4, 64};
  float *out = ppl::malloc<float>(&all), *in = ppl::rand<float>(&all, -1, 1);
  filled(out, in);
  expect(out, &all, [&](int64_t i) { return in[i] + 1.0f; });
}
