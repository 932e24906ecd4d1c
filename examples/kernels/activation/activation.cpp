//===- activation.cpp - GELU and SiLU -------------------------------------===//
//
// gelu(x) = x * (1 + erf(x / sqrt(2))) / 2, silu(x) = x / (1 + exp(-x)), of any
// number of elements; fp16, bf16 or fp32 in memory, fp32 inside.
//
//===----------------------------------------------------------------------===//

#include "ppl.h"

#include <cmath>

using namespace ppl;

static void gelu(tensor<float> &y, tensor<float> &x, const dim4 &block,
                 const dim4 &part) {
  auto scaled = make_tensor<float>(block, part),
       erf = make_tensor<float>(block, part),
       raised = make_tensor<float>(block, part),
       half = make_tensor<float>(block, part);
  tiu::fmul(scaled, x, float(std::sqrt(0.5)));
  ferf(erf, scaled, &block, &part);
  tiu::fadd(raised, erf, 1.0f);
  tiu::fmul(half, x, 0.5f);
  tiu::fmul(y, half, raised);
}

static void silu(tensor<float> &y, tensor<float> &x, const dim4 &block,
                 const dim4 &part) {
  auto sigmoid = make_tensor<float>(block, part);
  sigmoid_fp32(sigmoid, x, &block, &part);
  tiu::fmul(y, x, sigmoid);
}

/// One tile: `part` of consecutive elements from `start` on.
template <class T, class Function>
static void tile(T *out, T *in, int size, int start, const dim4 &block,
                 const dim4 &part, Function function) {
  auto at = [&](T *memory) {
    dim4 flat = {1, 1, 1, size}, count = {1, 1, 1, part.c * part.w};
    return gtensor<T>(flat, GLOBAL, memory)
        .sub_view(count, {0, 0, 0, start})
        .view(part);
  };
  auto loaded = make_tensor<T>(block, part),
       result = make_tensor<T>(block, part);
  auto x = make_tensor<float>(block, part), y = make_tensor<float>(block, part);
  dma::load(loaded, at(in));
  tiu::cast(x, loaded);
  function(y, x, block, part);
  tiu::cast(result, y);
  dma::store(at(out), result);
}

/// Elements are dealt out in equal, contiguous shares to all lanes; the last
/// tile has smaller ones, and fewer than 64 elements may be left for one lane.
template <class T, class Function>
static void apply(T *out, T *in, int size, Function function) {
  assert(size >= 1);
  int share = 4096, code;
  auto all = [&] {
    dim4 block = {1, LANE_NUM, 1, share};
    int done = 0;
    while (size - done >= LANE_NUM) {
      enable_pipeline();
      dim4 part = {1, LANE_NUM, 1, min(share, (size - done) / LANE_NUM)};
      tile(out, in, size, done, block, part, function);
      done += LANE_NUM * part.w;
    }
    dim4 rest = {1, 1, 1, size - done};
    if (rest.w)
      tile(out, in, size, done, rest, rest, function);
  };
  while ((code = attempt(all)) && share > 1)
    share /= 2;
  assert(code == 0);
}

__KERNEL__ void gelu_fp16(fp16 *out, fp16 *in, int size) {
  apply(out, in, size, gelu);
}
__KERNEL__ void gelu_fp32(float *out, float *in, int size) {
  apply(out, in, size, gelu);
}
__KERNEL__ void silu_fp16(fp16 *out, fp16 *in, int size) {
  apply(out, in, size, silu);
}
__KERNEL__ void silu_bf16(bf16 *out, bf16 *in, int size) {
  apply(out, in, size, silu);
}

template <class T, class Kernel>
static void check(Kernel kernel, int size, double (*exact)(double), double rtol,
                  double atol) {
  dim4 shape = {1, 1, 1, size};
  T *out = ppl::malloc<T>(&shape), *in = ppl::rand<T>(&shape, -9.0, 9.0);
  kernel(out, in, size);
  expect(
      out, &shape, [&](int64_t i) { return exact(double(float(in[i]))); }, rtol,
      atol);
}
static double exactGelu(double x) {
  return x * std::erfc(-x * std::sqrt(0.5)) / 2;
}
static double exactSilu(double x) { return x / (1 + std::exp(-x)); }

// The result is rounded to T, to half the smallest number at least. 1 + erf
// cancels: up to two ulp of 1, times 9 / 2, are an error of 2^-20.8. The
// sigmoid is good to 7 ulp of fp32.
__TEST__ void gelu_2m() {
  check<fp16>(gelu_fp16, 2 << 20, exactGelu, 0x1p-11 + 0x1p-20, 0x1p-20);
}
__TEST__ void gelu_odd() {
  check<float>(gelu_fp32, 100003, exactGelu, 0x1p-21, 0x1p-20);
}
__TEST__ void silu_2m() {
  check<fp16>(silu_fp16, 2 << 20, exactSilu, 0x1p-11 + 0x1p-20, 0x1p-25);
}
__TEST__ void silu_odd() {
  check<bf16>(silu_bf16, 5 * 4096 * 64 + 77, exactSilu, 0x1p-8 + 0x1p-20, 0);
}
__TEST__ void silu_few() {
  check<fp16>(silu_fp16, 3, exactSilu, 0x1p-11 + 0x1p-20, 0x1p-25);
}
