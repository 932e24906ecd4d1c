//===- fp8.cpp - quantization to fp8 --------------------------------------===//

#include "tiles.h"

using namespace ppl;

// To E4M3 with a scale for each row, amax / 448. No command of BM1684X writes
// fp8: the bits are made with integers.
static void toE4M3(const tensor<uint8> &out, const tensor<float> &in,
                   const dim4 &block, const dim4 &real) {
  auto make = [&] { return make_tensor<float>(block, real); };
  auto magnitude = make(), clipped = make(), shifted = make();
  tiu::fabs(magnitude, in);
  tiu::fmin(clipped, magnitude, 448.0f);
  // From 2^-6 on: the fraction is rounded to 3 bits, ties to even, and the
  // exponent's bias changes from 127 to 7.
  auto bits = clipped.view<int>();
  auto odd = make_tensor<int>(block, real), sum = make_tensor<int>(block, real),
       normal = make_tensor<int>(block, real);
  tiu::shift(odd, bits, -20, RM_DOWN);
  tiu::bitwise_and(sum, odd, 1);
  tiu::add(odd, sum, 0x7ffff, 0, RM_DOWN, false);
  tiu::add(sum, odd, bits, -20, RM_DOWN, false);
  tiu::sub(normal, sum, (127 - 7) * 8, 0, RM_DOWN, false);
  // Below: multiples of 2^-9. fp32 at 2^14 has that ulp, so the sum rounds.
  tiu::fadd(shifted, clipped, 0x1p14f);
  auto small = make_tensor<int>(block, real),
       code = make_tensor<int>(block, real);
  tiu::bitwise_and(small, shifted.view<int>(), 0xff);
  tiu::lt_select(code, clipped, 0x1p-6f, small, normal);
  // The sign.
  auto sign = make_tensor<int>(block, real),
       whole = make_tensor<int>(block, real);
  tiu::shift(sign, in.view<int>(), -24, RM_DOWN);
  tiu::bitwise_and(whole, sign, 0x80);
  tiu::bitwise_or(sign, whole, code);
  tiu::cast(out, sign);
}
__KERNEL__ void quantize_fp8(uint8 *out, float *scale, float *in, int rows,
                             int columns, const int tile, bool pipelined) {
  dim4 all = {1, rows, 1, columns}, ones = {1, rows, 1, 1},
       block = {1, tile, 1, columns}, blockOne = {1, tile, 1, 1};
  gtensor<float> gin(all, GLOBAL, in), gscale(ones, GLOBAL, scale);
  gtensor<uint8> gout(all, GLOBAL, out);
  forTiles(pipelined, rows, tile, [&](int row, int count) {
    dim4 part = {1, count, 1, columns}, one = {1, count, 1, 1},
         at = {0, row, 0, 0};
    auto x = make_tensor<float>(block, part),
         a = make_tensor<float>(block, part),
         y = make_tensor<float>(block, part);
    auto most = make_tensor<float>(blockOne, one),
         step = make_tensor<float>(blockOne, one),
         inverse = make_tensor<float>(blockOne, one);
    dma::load(x, gin.sub_view(part, at));
    tiu::fabs(a, x);
    quick_pooling(most, a, &block, &part, 0.0f, 0);
    tiu::fmul(step, most, 1 / 448.0f);
    tiu::fdiv(inverse, 1.0f, step);
    tiu::fmul(y, x, inverse);
    auto bytes = make_tensor<uint8>(block, part);
    toE4M3(bytes, y, block, part);
    dma::store(gout.sub_view(part, at), bytes);
    dma::store(gscale.sub_view(one, at), step);
  });
}
static void testQuantizeFp8(bool pipelined) {
  const int rows = 140, columns = 80;
  dim4 shape = {1, rows, 1, columns}, ones = {1, rows, 1, 1};
  uint8 *out = ppl::malloc<uint8>(&shape);
  float *scale = ppl::malloc<float>(&ones), *in = ppl::malloc<float>(&shape);
  // The largest magnitude of a row is 448 * 2^k: the scale is a power of 2,
  // its quotient within the last bits of 1.
  for (int r = 0; r < rows; ++r)
    for (int w = 0; w < columns; ++w)
      in[r * columns + w] = std::ldexp(
          w == 7 ? 448.0f
                 : std::ldexp(float((r * 37 + w * 101) % 449), -(w % 13)) *
                       (w % 2 ? -1 : 1),
          r % 9 - 4);
  quantize_fp8(out, scale, in, rows, columns, 64, pipelined);
  expect(
      scale, &ones, [](int64_t r) { return std::ldexp(1.0, int(r % 9) - 4); },
      kFp32);
  // The quotient is off by up to 4 ulp of fp32, so that a tie, and nothing
  // else here, may fall to the other side: one code.
  expect(
      out, &shape,
      [&](int, int r, int, int w) {
        double value = std::ldexp(double(in[r * columns + w]), 4 - r % 9);
        return detail::fp8Bits(value, 4);
      },
      0, 1);
}
__TEST__ void quantize_rows_to_fp8() { testQuantizeFp8(false); }
__TEST__ void quantize_rows_to_fp8_pipelined() { testQuantizeFp8(true); }

// All fp32 numbers near every E4M3 number and every middle between two.
__KERNEL__ void convert_fp8(uint8 *out, float *in, int n) {
  dim4 shape = {1, 64, 1, n};
  tensor<float> x(shape);
  tensor<uint8> y(shape);
  dma::load(x, gtensor<float>(shape, GLOBAL, in));
  toE4M3(y, x, shape, shape);
  dma::store(gtensor<uint8>(shape, GLOBAL, out), y);
}
__TEST__ void convert_ties_to_fp8() {
  const int n = 32;
  dim4 shape = {1, 64, 1, n};
  uint8 *out = ppl::malloc<uint8>(&shape);
  float *in = ppl::malloc<float>(&shape);
  for (int i = 0; i < 64 * n; ++i) {
    double low = detail::fp8Value(uint8(i / 8 % 126), 4),
           high = detail::fp8Value(uint8(i / 8 % 126 + 1), 4);
    double near[] = {low,
                     (low + high) / 2,
                     std::nextafter(float((low + high) / 2), 0.0f),
                     std::nextafter(float((low + high) / 2), 999.0f),
                     high * 1.0001,
                     low + (high - low) / 3,
                     500,
                     high};
    in[i] = float(i % 16 < 8 ? near[i % 8] : -near[i % 8]);
  }
  convert_fp8(out, in, n);
  expect(out, &shape, [&](int64_t i) { return detail::fp8Bits(in[i], 4); });
}
