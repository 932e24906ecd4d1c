//===- activations.cpp - activation functions by the wrappers -------------===//

#include "tiles.h"

#include <algorithm>

using namespace ppl;

// PPL 4.7: the wrappers make their temporaries themselves.
enum Activation { Sigmoid, Silu, Gelu, Mish, Softplus, Softsign, Tanh };

template <class T>
static void activate(T *out, T *in, int rows, int columns, int tile,
                     Activation kind, bool pipelined) {
  dim4 all = {1, rows, 1, columns}, block = {1, tile, 1, columns};
  gtensor<T> gin(all, GLOBAL, in), gout(all, GLOBAL, out);
  forTiles(pipelined, rows, tile, [&](int row, int count) {
    dim4 part = {1, count, 1, columns}, at = {0, row, 0, 0};
    auto x = make_tensor<T>(block, part), y = make_tensor<T>(block, part),
         z = make_tensor<T>(block, part), result = make_tensor<T>(block, part);
    dma::load(x, gin.sub_view(part, at));
    switch (kind) {
    case Sigmoid:
      sigmoid_fp32(result, x, &block, &part);
      break;
    case Silu:
      sigmoid_fp32(y, x, &block, &part);
      tiu::fmul(result, x, y);
      break;
    case Gelu: // x / 2 * (1 + erf(x / sqrt 2))
      tiu::fmul(y, x, 0.70710678f);
      ferf(z, y, &block, &part);
      tiu::fadd(y, z, 1.0f);
      tiu::fmul(z, x, 0.5f);
      tiu::fmul(result, z, y);
      break;
    case Mish:
      mish_f32(result, x, &block, &part);
      break;
    case Softplus:
      softplus_f32(result, x, 2.0f, &block, &part);
      break;
    case Softsign:
      softsign_fp32(result, x, &block, &part);
      break;
    case Tanh:
      tanh_fp32(result, x, &block, &part);
      break;
    }
    dma::store(gout.sub_view(part, at), result);
  });
}
__KERNEL__ void activation_fp32(float *out, float *in, int rows, int columns,
                                const int tile, int kind, bool pipelined) {
  activate(out, in, rows, columns, tile, Activation(kind), pipelined);
}
__KERNEL__ void activation_fp16(fp16 *out, fp16 *in, int rows, int columns,
                                const int tile, int kind, bool pipelined) {
  activate(out, in, rows, columns, tile, Activation(kind), pipelined);
}

static double reference(Activation kind, double x) {
  switch (kind) {
  case Sigmoid:
    return 1 / (1 + std::exp(-x));
  case Silu:
    return x / (1 + std::exp(-x));
  case Gelu:
    return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
  case Mish:
    return x * std::tanh(std::log1p(std::exp(x)));
  case Softplus:
    return std::log1p(std::exp(2 * x)) / 2;
  case Softsign:
    return x / (1 + std::fabs(x));
  case Tanh:
    return std::tanh(x);
  }
  return 0;
}

// The wrappers are exact to 16 ulp of fp32 (docs/ppl/wrappers.md). Gelu adds
// 1 to erf: for negative x that cancels, an absolute error of 2^-22 * |x|, x
// being at most 6. fp16 rounds every step: at most 4 of them here.
template <class T, class Kernel>
static void testActivation(Kernel kernel, Activation kind, bool pipelined,
                           double rtol, double atol) {
  dim4 shape = {1, 150, 1, 60};
  T *out = ppl::malloc<T>(&shape), *in = ppl::rand<T>(&shape, -6.0, 6.0);
  kernel(out, in, 150, 60, 64, kind, pipelined);
  expect(
      out, &shape, [&](int64_t i) { return reference(kind, float(in[i])); },
      rtol, atol);
}
#define ACTIVATION(name, kind, atol)                                           \
  __TEST__ void name##_fp32() {                                                \
    testActivation<float>(activation_fp32, kind, false, 32 * kFp32, atol);     \
  }                                                                            \
  __TEST__ void name##_fp32_pipelined() {                                      \
    testActivation<float>(activation_fp32, kind, true, 32 * kFp32, atol);      \
  }                                                                            \
  __TEST__ void name##_fp16() {                                                \
    testActivation<fp16>(activation_fp16, kind, true, 4 * kFp16,               \
                         (atol) > 0 ? 6 * kFp16 : 0x1p-24);                    \
  }
ACTIVATION(sigmoid, Sigmoid, 0)
ACTIVATION(silu, Silu, 0)
ACTIVATION(gelu, Gelu, 6 * 0x1p-22)
ACTIVATION(mish, Mish, 0)
ACTIVATION(softplus, Softplus, 0)
ACTIVATION(softsign, Softsign, 0)
ACTIVATION(tanh_of, Tanh, 0)

// PPL 4.7.4, 4.7.5
template <class T>
static void leakyAndRelu(T *out, T *clipped, T *in, float slope, int count) {
  dim4 shape = {1, 64, 1, count};
  tensor<T> x(shape), y(shape), z(shape);
  dma::load(x, gtensor<T>(shape, GLOBAL, in));
  prelu(y, x, slope);
  relu(z, x);
  dma::store(gtensor<T>(shape, GLOBAL, out), y);
  dma::store(gtensor<T>(shape, GLOBAL, clipped), z);
}
__KERNEL__ void leaky(float *out, float *clipped, float *in, float slope,
                      int count) {
  leakyAndRelu(out, clipped, in, slope, count);
}
__TEST__ void leaky_and_relu() {
  dim4 shape = {1, 64, 1, 33};
  float *out = ppl::malloc<float>(&shape),
        *clipped = ppl::malloc<float>(&shape);
  float *in = ppl::rand<float>(&shape, -3.0, 3.0);
  leaky(out, clipped, in, 0.1f, 33);
  expect(out, &shape,
         [&](int64_t i) { return in[i] > 0 ? in[i] : 0.1f * in[i]; });
  expect(clipped, &shape, [&](int64_t i) { return in[i] > 0 ? in[i] : 0; });
}

__KERNEL__ void leaky_int8(int8 *out, int8 *clipped, int8 *in, float slope,
                           int count) {
  leakyAndRelu(out, clipped, in, slope, count);
}
__TEST__ void leaky_and_relu_of_bytes() {
  dim4 shape = {1, 64, 1, 50};
  int8 *out = ppl::malloc<int8>(&shape), *clipped = ppl::malloc<int8>(&shape),
       *in = ppl::rand<int8>(&shape, -128, 127);
  // The slope is cut to 2; what leaves int8 saturates.
  leaky_int8(out, clipped, in, 2.7f, 50);
  expect(out, &shape, [&](int64_t i) {
    return in[i] > 0 ? in[i] : std::max(2 * in[i], -128);
  });
  expect(clipped, &shape, [&](int64_t i) { return std::max<int>(in[i], 0); });
}

// The sign of one tensor on the magnitude of another, by bits.
template <class T>
static void copySigns(T *out, T *signs, T *magnitudes, int count) {
  dim4 shape = {1, 64, 1, count};
  tensor<T> s(shape), m(shape), y(shape), work(shape);
  dma::load(s, gtensor<T>(shape, GLOBAL, signs));
  dma::load(m, gtensor<T>(shape, GLOBAL, magnitudes));
  sign_mul(y, s, m, work);
  dma::store(gtensor<T>(shape, GLOBAL, out), y);
}
__KERNEL__ void copy_signs_fp32(float *out, float *signs, float *magnitudes,
                                int count) {
  copySigns(out, signs, magnitudes, count);
}
__KERNEL__ void copy_signs_bf16(bf16 *out, bf16 *signs, bf16 *magnitudes,
                                int count) {
  copySigns(out, signs, magnitudes, count);
}
template <class T, class Kernel>
static void testSigns(Kernel kernel) {
  dim4 shape = {1, 64, 1, 30};
  T *out = ppl::malloc<T>(&shape), *signs = ppl::rand<T>(&shape, -1.0, 1.0),
    *magnitudes = ppl::rand<T>(&shape, 0.0, 5.0);
  kernel(out, signs, magnitudes, 30);
  expect(out, &shape, [&](int64_t i) {
    return std::copysign(float(magnitudes[i]), float(signs[i]));
  });
}
__TEST__ void signs_of_fp32() { testSigns<float>(copy_signs_fp32); }
__TEST__ void signs_of_bf16() { testSigns<bf16>(copy_signs_bf16); }

// PPL 4.11.4: the fewer Newton steps, the larger the error.
__KERNEL__ void roots(float *out, float *in, int steps, int count) {
  dim4 shape = {1, 64, 1, count};
  tensor<float> x(shape), y(shape);
  dma::load(x, gtensor<float>(shape, GLOBAL, in));
  tiu::fsqrt(y, x, steps);
  dma::store(gtensor<float>(shape, GLOBAL, out), y);
}
static void testRoots(int steps, double rtol) {
  dim4 shape = {1, 64, 1, 40};
  float *out = ppl::malloc<float>(&shape),
        *in = ppl::rand<float>(&shape, 0.0, 9.0);
  in[3] = 0;
  roots(out, in, steps, 40);
  expect(
      out, &shape, [&](int64_t i) { return std::sqrt(double(in[i])); }, rtol);
}
// The seed is off by 3.5 %; a step takes the error e to 3/2 e^2.
__TEST__ void roots_with_one_step() { testRoots(1, 1.9e-3); }
__TEST__ void roots_with_two_steps() { testRoots(2, 5.5e-6); }
__TEST__ void roots_with_three_steps() { testRoots(3, 5 * kFp32); }

// out may be in.
__KERNEL__ void sigmoid_in_place(fp16 *out, fp16 *in, int count) {
  dim4 shape = {1, 64, 1, count};
  tensor<fp16> x(shape);
  dma::load(x, gtensor<fp16>(shape, GLOBAL, in));
  sigmoid_fp32(x, x, &shape);
  dma::store(gtensor<fp16>(shape, GLOBAL, out), x);
}
__TEST__ void sigmoid_overwrites_its_argument() {
  dim4 shape = {1, 64, 1, 40};
  fp16 *out = ppl::malloc<fp16>(&shape),
       *in = ppl::rand<fp16>(&shape, -4.0, 4.0);
  sigmoid_in_place(out, in, 40);
  expect(
      out, &shape, [&](int64_t i) { return reference(Sigmoid, float(in[i])); },
      1.01 * kFp16);
}
