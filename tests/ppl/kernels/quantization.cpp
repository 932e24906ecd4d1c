//===- quantization.cpp - to bytes and back -------------------------------===//

#include "tiles.h"

using namespace ppl;

// PPL 4.6.7: fp32 to int8 by scale, and back.
__KERNEL__ void quantize(int8 *q, float *back, float *in, int rows, int columns,
                         float scale, const int tile, bool pipelined) {
  dim4 all = {1, rows, 1, columns}, block = {1, tile, 1, columns};
  gtensor<float> gin(all, GLOBAL, in), gback(all, GLOBAL, back);
  gtensor<int8> gq(all, GLOBAL, q);
  forTiles(pipelined, rows, tile, [&](int row, int count) {
    dim4 part = {1, count, 1, columns}, at = {0, row, 0, 0};
    auto x = make_tensor<float>(block, part),
         scaled = make_tensor<float>(block, part),
         y = make_tensor<float>(block, part);
    auto bytes = make_tensor<int8>(block, part);
    dma::load(x, gin.sub_view(part, at));
    tiu::fmul(scaled, x, 1 / scale);
    tiu::cast(bytes, scaled, RM_HALF_TO_EVEN);
    tiu::dq0(y, bytes, 0, scale, RM_HALF_TO_EVEN);
    dma::store(gq.sub_view(part, at), bytes);
    dma::store(gback.sub_view(part, at), y);
  });
}
static void testQuantize(bool pipelined) {
  const int rows = 150, columns = 64;
  const float scale = 0.03125f; // a power of 2: the quotient is exact
  dim4 shape = {1, rows, 1, columns};
  int8 *q = ppl::malloc<int8>(&shape);
  float *back = ppl::malloc<float>(&shape),
        *in = ppl::rand<float>(&shape, -5.0, 5.0);
  quantize(q, back, in, rows, columns, scale, 64, pipelined);
  auto value = [&](int64_t i) {
    return std::fmin(std::fmax(std::nearbyint(in[i] / scale), -128.0f), 127.0f);
  };
  expect(q, &shape, value);
  expect(back, &shape, [&](int64_t i) { return value(i) * scale; });
}
__TEST__ void quantize_rows() { testQuantize(false); }
__TEST__ void quantize_rows_pipelined() { testQuantize(true); }

// int32 sums to int8: multiplier and shift, exact.
__KERNEL__ void requantize(int8 *out, int32 *in, int multiplier, int shift,
                           int zero, int c, int w) {
  dim4 shape = {1, c, 1, w};
  tensor<int32> x(shape);
  tensor<int8> y(shape);
  dma::load(x, gtensor<int32>(shape, GLOBAL, in));
  tiu::rq1(y, x, multiplier, shift, zero, RM_HALF_UP);
  dma::store(gtensor<int8>(shape, GLOBAL, out), y);
}
__TEST__ void requantize_sums() {
  dim4 shape = {1, 64, 1, 90};
  int8 *out = ppl::malloc<int8>(&shape);
  int32 *in = ppl::rand<int32>(&shape, -100000, 100000);
  const int multiplier = 1431655, shift = -30, zero = -3;
  requantize(out, in, multiplier, shift, zero, 64, 90);
  expect(out, &shape, [&](int64_t i) {
    int64 product = int64(in[i]) * multiplier;
    int64 y = ((product + (int64(1) << 29)) >> 30) + zero;
    return double(y < -128 ? -128 : y > 127 ? 127 : y);
  });
}

// A matrix of bytes with a scale for every row, multiplied in fp16: weights of
// 8 bits, activations of 16.
__KERNEL__ void matmul_w8a16(fp16 *out, fp16 *a, int8 *weight, float *scale,
                             int M, int K, int N, const int tileN,
                             bool pipelined) {
  dim4 as = {1, M, 1, K}, ws = {1, N, 1, K}, ss = {1, N, 1, 1},
       os = {1, N, 1, M};
  // The weights' rows lie in lanes, so that a scale belongs to a lane. The
  // product then comes out transposed: out^T = weight a^T.
  tensor<fp16> input(as);
  dma::load(input, gtensor<fp16>(as, GLOBAL, a));
  gtensor<int8> gw(ws, GLOBAL, weight);
  gtensor<float> gs(ss, GLOBAL, scale);
  gtensor<fp16> go(os, GLOBAL, out);
  dim4 block = {1, tileN, 1, K}, blockOne = {1, tileN, 1, 1},
       blockOut = {1, tileN, 1, M};
  forTiles(pipelined, N, tileN, [&](int row, int count) {
    dim4 part = {1, count, 1, K}, one = {1, count, 1, 1}, at = {0, row, 0, 0},
         result = {1, count, 1, M};
    auto bytes = make_tensor<int8>(block, part);
    auto factor = make_tensor<float>(blockOne, one);
    dma::load(bytes, gw.sub_view(part, at));
    dma::load(factor, gs.sub_view(one, at));
    auto half = make_tensor<fp16>(block, part);
    tiu::cast(half, bytes);
    auto sum = make_tensor<float>(blockOut, result),
         scaled = make_tensor<float>(blockOut, result);
    tiu::fmm2_nt(sum, half, input);
    tiu::fmul(scaled, sum, factor);
    auto y = make_tensor<fp16>(blockOut, result);
    tiu::cast(y, scaled);
    dma::store(go.sub_view(result, at), y);
  });
}
static void testW8A16(bool pipelined) {
  const int M = 24, K = 96, N = 100;
  dim4 as = {1, M, 1, K}, ws = {1, N, 1, K}, ss = {1, N, 1, 1},
       os = {1, N, 1, M};
  fp16 *out = ppl::malloc<fp16>(&os), *a = ppl::rand<fp16>(&as, -1.0, 1.0);
  int8 *w = ppl::rand<int8>(&ws, -127, 127);
  float *s = ppl::rand<float>(&ss, 0.001, 0.01);
  matmul_w8a16(out, a, w, s, M, K, N, 64, pipelined);
  // Products of at most 127 lose what is below 2^-17 each; the scale is at
  // most 0.01. Then fp16 rounds.
  expect(
      out, &os,
      [&](int, int n, int, int m) {
        double sum = 0;
        for (int k = 0; k < K; ++k)
          sum += double(w[n * K + k]) * float(a[m * K + k]);
        return sum * s[n];
      },
      1.01 * kFp16, K * 0x1p-17 * 0.01);
}
__TEST__ void w8a16_rows() { testW8A16(false); }
__TEST__ void w8a16_rows_pipelined() { testW8A16(true); }

// Hamming distances of bit patterns: logic and shifts of integers.
__KERNEL__ void hamming(uint32 *out, uint32 *a, uint32 *b, int n) {
  dim4 shape = {1, 64, 1, n};
  tensor<uint32> x(shape), y(shape), d(shape), t(shape), u(shape), v(shape);
  dma::load(x, gtensor<uint32>(shape, GLOBAL, a));
  dma::load(y, gtensor<uint32>(shape, GLOBAL, b));
  tiu::bitwise_xor(d, x, y);
  // Sums of 2, 4, 8, 16 and 32 neighbouring bits.
  const uint32 masks[] = {0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff,
                          0x0000ffff};
  for (int i = 0; i < 5; ++i) {
    tiu::bitwise_and(t, d, masks[i]);
    tiu::logical_shift(u, d, -(1 << i), RM_DOWN);
    tiu::bitwise_and(v, u, masks[i]);
    tiu::add(d, t, v, 0, RM_DOWN, false);
  }
  dma::store(gtensor<uint32>(shape, GLOBAL, out), d);
}
__TEST__ void hamming_distances() {
  dim4 shape = {1, 64, 1, 40};
  uint32 *out = ppl::malloc<uint32>(&shape),
         *a = ppl::rand<uint32>(&shape, 0, 4294967295.0),
         *b = ppl::rand<uint32>(&shape, 0, 4294967295.0);
  hamming(out, a, b, 40);
  expect(out, &shape,
         [&](int64_t i) { return __builtin_popcount(a[i] ^ b[i]); });
}
