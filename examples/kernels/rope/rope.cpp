//===- rope.cpp - rotary position embedding -------------------------------===//
//
// The halves a, b of each head at a position turn by its angles:
// a' = a cos - b sin, b' = b cos + a sin. in and out [positions, heads, width],
// cosines and sines [positions, width / 2]; fp16 or bf16, fp32 inside.
//
//===----------------------------------------------------------------------===//

#include "ppl/rows.h"

#include <cmath>

using namespace ppl;

/// Positions lie in lanes, heads along h, so that an angle is an operand of
/// h = 1 which the engine repeats.
template <class T>
static void rotate(T *out, T *in, T *cosines, T *sines, int positions,
                   int heads, int width) {
  assert(positions >= 1 && heads >= 1 && width >= 2 && width % 2 == 0);
  int half = width / 2, headsAtOnce = heads, code;
  gtensor<T> from({1, positions, heads, width}, GLOBAL, in),
      to({1, positions, heads, width}, GLOBAL, out);
  gtensor<T> cosine({1, positions, 1, half}, GLOBAL, cosines),
      sine({1, positions, 1, half}, GLOBAL, sines);
  auto tiles = [&] {
    for (int p = 0; p < positions; p += LANE_NUM)
      for (int h = 0; h < heads; h += headsAtOnce) {
        enable_pipeline();
        dim4 block = {1, LANE_NUM, headsAtOnce, width},
             part = {1, min(LANE_NUM, positions - p),
                     min(headsAtOnce, heads - h), width},
             halves = {1, part.c, part.h, half}, at = {0, p, h, 0},
             halfBlock = {1, LANE_NUM, headsAtOnce, half};
        dim4 angleBlock = {1, LANE_NUM, 1, half}, angles = {1, part.c, 1, half};
        auto x = load_as_float(from, block, part, at);
        // All heads share these.
        auto c = load_as_float(cosine, angleBlock, angles, {0, p, 0, 0}),
             s = load_as_float(sine, angleBlock, angles, {0, p, 0, 0});
        auto result = make_tensor<T>(block, part);
        auto low = x.sub_view(halves, {0, 0, 0, 0}),
             high = x.sub_view(halves, {0, 0, 0, half});
        auto product = [&](tensor<float> &a, tensor<float> &b) {
          auto y = make_tensor<float>(halfBlock, halves);
          tiu::fmul(y, a, b);
          return y;
        };
        auto first = make_tensor<float>(halfBlock, halves),
             second = make_tensor<float>(halfBlock, halves);
        tiu::fsub(first, product(low, c), product(high, s));
        tiu::fadd(second, product(high, c), product(low, s));
        tiu::cast(result.sub_view(halves, {0, 0, 0, 0}), first);
        tiu::cast(result.sub_view(halves, {0, 0, 0, half}), second);
        dma::store(to.sub_view(part, at), result);
      }
  };
  while ((code = attempt(tiles)) && headsAtOnce > 1)
    headsAtOnce = div_up(headsAtOnce, 2);
  assert(code == 0 && "a head is too wide for local memory");
}

__KERNEL__ void rope_fp16(fp16 *out, fp16 *in, fp16 *cosines, fp16 *sines,
                          int positions, int heads, int width) {
  rotate(out, in, cosines, sines, positions, heads, width);
}
__KERNEL__ void rope_bf16(bf16 *out, bf16 *in, bf16 *cosines, bf16 *sines,
                          int positions, int heads, int width) {
  rotate(out, in, cosines, sines, positions, heads, width);
}

/// The result is rounded to T once, `half` an ulp; where the two products
/// cancel, their roundings in fp32 count absolutely: 2^-23 of at most 4.
template <class T, class Kernel>
static void check(Kernel kernel, int positions, int heads, int width,
                  double half) {
  dim4 shape = {1, positions, heads, width},
       angles = {1, positions, 1, width / 2};
  T *out = ppl::malloc<T>(&shape), *in = ppl::rand<T>(&shape, -4.0, 4.0),
    *cosines = ppl::malloc<T>(&angles), *sines = ppl::malloc<T>(&angles);
  for (int p = 0; p < positions; ++p)
    for (int i = 0; i < width / 2; ++i) {
      double angle = p * std::pow(10000.0, -2.0 * i / width);
      cosines[p * (width / 2) + i] = T(float(std::cos(angle)));
      sines[p * (width / 2) + i] = T(float(std::sin(angle)));
    }
  kernel(out, in, cosines, sines, positions, heads, width);
  expect(
      out, &shape,
      [&](int, int p, int h, int w) {
        int i = w % (width / 2), row = (p * heads + h) * width;
        auto at = [](T *x, int i) { return double(float(x[i])); };
        double low = at(in, row + i), high = at(in, row + i + width / 2),
               c = at(cosines, p * (width / 2) + i),
               s = at(sines, p * (width / 2) + i);
        return w < width / 2 ? low * c - high * s : high * c + low * s;
      },
      1.01 * half, 0x1p-20);
}

__TEST__ void rope_1024x32x128() {
  check<fp16>(rope_fp16, 1024, 32, 128, 0x1p-11);
}
__TEST__ void rope_odd() { check<fp16>(rope_fp16, 67, 3, 50, 0x1p-11); }
__TEST__ void rope_one_position() { check<bf16>(rope_bf16, 1, 7, 64, 0x1p-8); }
__TEST__ void rope_many_heads() {
  check<fp16>(rope_fp16, 65, 301, 64, 0x1p-11);
}
