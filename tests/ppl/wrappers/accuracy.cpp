//===- accuracy.cpp - the wrappers over their whole ranges ----------------===//

#include "ppl/ppl.h"

#include <vector>

using namespace ppl;

// One test for every wrapper and type. wrappers_test.py makes the same
// arguments, reads the outputs and computes the errors.

// Of fp32 numbers, as a power of 2.
#ifndef SAMPLES
#define SAMPLES 20
#endif

/// 16-bit types: every number. fp32: half of them bit patterns, with all signs,
/// exponents and upper fractions, then 2^19 numbers from `low` to `high`.
template <class T>
static std::vector<T> arguments(double low, double high) {
  if constexpr (sizeof(T) == 2) {
    std::vector<T> x(size_t(1) << 16);
    for (uint32_t i = 0; i < x.size(); ++i)
      x[i].bits = uint16_t(i);
    return x;
  } else {
    const uint32_t half = 1u << (SAMPLES - 1);
    std::vector<T> x(2 * half);
    for (uint32_t i = 0; i < half; ++i) {
      x[i] = detail::floatOf(i << (33 - SAMPLES) |
                             (i * 2654435761u >> (SAMPLES - 1)));
      x[half + i] = float(low + (high - low) * i / half);
    }
    return x;
  }
}

template <class T, class Wrapper>
static void apply(T *out, T *in, int count, Wrapper wrapper) {
  // Small enough for the temporaries of the longest wrapper.
  const int w = 512;
  dim4 all = {1, 1, 1, count}, tile = {1, 64, 1, w};
  gtensor<T> from(all, GLOBAL, in), to(all, GLOBAL, out);
  for (int start = 0; start < count; start += 64 * w) {
    enable_pipeline();
    dim4 strides = {64 * w, w, w, 1};
    tensor<T> x(tile), y(tile);
    dma::load(x, make_gtensor<T>(tile, GLOBAL, in + start, strides));
    wrapper(y, x, &tile);
    dma::store(make_gtensor<T>(tile, GLOBAL, out + start, strides), y);
  }
}

template <class T, class Wrapper>
static void test(double low, double high, Wrapper wrapper) {
  std::vector<T> x = arguments<T>(low, high);
  dim4 shape = {1, 1, 1, int(x.size())};
  T *in = ppl::malloc<T>(&shape), *out = ppl::malloc<T>(&shape);
  std::copy(x.begin(), x.end(), in);
  apply(out, in, int(x.size()), wrapper);
}

#define WRAPPER(name, low, high, call)                                         \
  template <class T>                                                           \
  static void name##_of() {                                                    \
    test<T>(low, high, [](const auto &y, const auto &x, const dim4 *s) {       \
      (void)s;                                                                 \
      call;                                                                    \
    });                                                                        \
  }                                                                            \
  __TEST__ void name##_fp32() { name##_of<float>(); }                          \
  __TEST__ void name##_fp16() { name##_of<fp16>(); }                           \
  __TEST__ void name##_bf16() { name##_of<bf16>(); }

WRAPPER(test_exp_no_overflow, -20, 20, exp_no_overflow(y, x, s, s))
WRAPPER(test_fexp, -1, 1, fexp(y, x, s, s))
WRAPPER(test_flog, 0.25, 4, flog(y, x, s, s))
WRAPPER(test_flogx, 0.25, 4, flogx(y, x, 10.0f, s, s))
WRAPPER(test_fsqrt, 0.25, 4, fsqrt(y, x, s, s))
WRAPPER(test_fsin, -100, 100, fsin(y, x, s, s))
WRAPPER(test_fcos, -100, 100, fcos(y, x, s, s))
WRAPPER(test_ftan, -100, 100, ftan(y, x, s, s))
WRAPPER(test_fcot, -100, 100, fcot(y, x, s, s))
WRAPPER(test_farcsin, -1, 1, farcsin(y, x, s, s))
WRAPPER(test_farccos, -1, 1, farccos(y, x, s, s))
WRAPPER(test_sinh_fp32, -5, 5, sinh_fp32(y, x, s, s))
WRAPPER(test_cosh_fp32, -5, 5, cosh_fp32(y, x, s, s))
WRAPPER(test_tanh_fp32, -5, 5, tanh_fp32(y, x, s, s))
WRAPPER(test_arcsinh_fp32, -5, 5, arcsinh_fp32(y, x, s, s))
WRAPPER(test_arccosh_fp32, 1, 5, arccosh_fp32(y, x, s, s))
WRAPPER(test_arctanh_fp32, -1, 1, arctanh_fp32(y, x, s, s))
WRAPPER(test_ferf, -4, 4, ferf(y, x, s, s))
WRAPPER(test_sigmoid_fp32, -20, 20, sigmoid_fp32(y, x, s))
WRAPPER(test_softsign_fp32, -4, 4, softsign_fp32(y, x, s, s))
WRAPPER(test_softplus_f32, -20, 20, softplus_f32(y, x, 1.0f, s, s))
WRAPPER(test_softplus_f32_beta, -20, 20, softplus_f32(y, x, 3.0f, s, s))
WRAPPER(test_mish_f32, -20, 20, mish_f32(y, x, s, s))
WRAPPER(test_prelu, -4, 4, prelu(y, x, 0.1015625f))
WRAPPER(test_relu, -4, 4, relu(y, x))
WRAPPER(test_pow_f32_square, -4, 4, pow_f32(y, x, 2.0f, s, s))
WRAPPER(test_pow_f32_root, 0, 4, pow_f32(y, x, 0.3333333f, s, s))
WRAPPER(test_pow_f32_of_number, -20, 20, pow_f32(y, 10.0f, x, s, s))
WRAPPER(test_pow_f32_self, 0, 4, pow_f32(y, x, x, s, s))
