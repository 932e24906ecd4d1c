//===- movement.cpp - transposes, slices, padding, scaling ----------------===//

#include "tiles.h"

using namespace ppl;

// PPL 4.3: matrix transpose on the way in.
__KERNEL__ void transpose_matrix(fp16 *out, fp16 *in, int rows, int columns,
                                 const int tile, bool pipelined) {
  dim4 from = {1, rows, 1, columns}, to = {1, columns, 1, rows};
  gtensor<fp16> gin(from, GLOBAL, in), gout(to, GLOBAL, out);
  dim4 block = {1, columns, 1, tile};
  forTiles(pipelined, rows, tile, [&](int row, int count) {
    auto x = make_tensor<fp16>(block, {1, columns, 1, count});
    auto y = make_tensor<fp16>(block, {1, columns, 1, count});
    dma::load_transpose_cw(
        x, gin.sub_view({1, count, 1, columns}, {0, row, 0, 0}));
    tiu::fmul(y, x, 2.0f);
    dma::store(gout.sub_view({1, columns, 1, count}, {0, 0, 0, row}), y);
  });
}
static void testTranspose(bool pipelined) {
  const int rows = 130, columns = 70;
  dim4 from = {1, rows, 1, columns}, to = {1, columns, 1, rows};
  fp16 *out = ppl::malloc<fp16>(&to), *in = ppl::rand<fp16>(&from, -1.0, 1.0);
  transpose_matrix(out, in, rows, columns, 32, pipelined);
  expect(out, &to, [&](int, int c, int, int w) {
    return 2 * float(in[w * columns + c]);
  });
}
__TEST__ void transpose_doubles() { testTranspose(false); }
__TEST__ void transpose_doubles_pipelined() { testTranspose(true); }

// PPL 4.6.10: inside local memory.
__KERNEL__ void transpose_local(float *out, float *in, int c, int w) {
  dim4 from = {1, c, 1, w}, to = {1, w, 1, c};
  tensor<float> x(from), y(to);
  dma::load(x, gtensor<float>(from, GLOBAL, in));
  tiu::transpose_wc(y, x);
  dma::store(gtensor<float>(to, GLOBAL, out), y);
}
__TEST__ void transpose_in_local_memory() {
  dim4 from = {1, 40, 1, 72}, to = {1, 72, 1, 40};
  float *out = ppl::malloc<float>(&to),
        *in = ppl::rand<float>(&from, -1.0, 1.0);
  transpose_local(out, in, 40, 72);
  expect(out, &to, [&](int, int c, int, int w) { return in[w * 72 + c]; });
}

// Concatenation along channels and a slice with steps: strided views.
__KERNEL__ void concat_and_slice(float *joined, float *even, float *a, float *b,
                                 int ca, int cb, int h, int w) {
  dim4 sa = {1, ca, h, w}, sb = {1, cb, h, w}, both = {1, ca + cb, h, w};
  tensor<float> x(sa), y(sb);
  dma::load(x, gtensor<float>(sa, GLOBAL, a));
  dma::load(y, gtensor<float>(sb, GLOBAL, b));
  gtensor<float> out(both, GLOBAL, joined);
  dma::store(out.sub_view(sa, {0, 0, 0, 0}), x);
  dma::store(out.sub_view(sb, {0, ca, 0, 0}), y);
  // Every second column of a.
  dim4 half = {1, ca, h, w / 2};
  gtensor<float> stepped =
      make_gtensor<float>(half, GLOBAL, a, {ca * h * w, h * w, w, 2});
  tensor<float> z(half);
  dma::load(z, stepped);
  dma::store(gtensor<float>(half, GLOBAL, even), z);
}
__TEST__ void concat_then_slice() {
  const int ca = 30, cb = 50, h = 5, w = 8;
  dim4 sa = {1, ca, h, w}, sb = {1, cb, h, w}, both = {1, ca + cb, h, w},
       half = {1, ca, h, w / 2};
  float *joined = ppl::malloc<float>(&both), *even = ppl::malloc<float>(&half),
        *a = ppl::rand<float>(&sa, -1.0, 1.0),
        *b = ppl::rand<float>(&sb, -1.0, 1.0);
  concat_and_slice(joined, even, a, b, ca, cb, h, w);
  expect(joined, &both, [&](int, int c, int y, int x) {
    return c < ca ? a[(c * h + y) * w + x] : b[((c - ca) * h + y) * w + x];
  });
  expect(even, &half,
         [&](int, int c, int y, int x) { return a[(c * h + y) * w + 2 * x]; });
}

// Zero padding and nearest-neighbour scaling: views of larger tensors.
__KERNEL__ void pad_and_scale(int8 *padded, int8 *scaled, int8 *in, int c,
                              int h, int w) {
  dim4 small = {1, c, h, w}, large = {1, c, h + 3, w + 2};
  tensor<int8> x(small), frame(large);
  dma::load(x, gtensor<int8>(small, GLOBAL, in));
  tiu::fill(frame, -1);
  tiu::move(frame.sub_view(small, {0, 0, 1, 1}), x);
  dma::store(gtensor<int8>(large, GLOBAL, padded), frame);
  // Four stores, each to the pixels of one parity.
  dim4 strides = {4 * c * h * w, 4 * h * w, 4 * w, 2};
  for (int y = 0; y < 2; ++y)
    for (int z = 0; z < 2; ++z)
      dma::store(
          make_gtensor<int8>(small, GLOBAL, scaled + y * 2 * w + z, strides),
          x);
}
__TEST__ void pad_then_scale() {
  const int c = 66, h = 6, w = 7;
  dim4 small = {1, c, h, w}, large = {1, c, h + 3, w + 2},
       doubled = {1, c, 2 * h, 2 * w};
  int8 *padded = ppl::malloc<int8>(&large),
       *scaled = ppl::malloc<int8>(&doubled),
       *in = ppl::rand<int8>(&small, -128, 127);
  pad_and_scale(padded, scaled, in, c, h, w);
  expect(padded, &large, [&](int, int k, int y, int x) {
    bool inside = y >= 1 && y <= h && x >= 1 && x <= w;
    return inside ? in[(k * h + y - 1) * w + x - 1] : -1;
  });
  expect(scaled, &doubled, [&](int, int k, int y, int x) {
    return in[(k * h + y / 2) * w + x / 2];
  });
}

// A permutation of all axes: two views, one copy in global memory.
__KERNEL__ void permute(float *out, float *in, int n, int c, int h, int w) {
  int order[4] = {0, 2, 3, 1}; // n h w c
  gtensor<float> from = make_gtensor_permute({n, c, h, w}, GLOBAL, in, order);
  dim4 to = {n, h, w, c};
  dma::move(gtensor<float>(to, GLOBAL, out), from);
}
__TEST__ void permute_to_channels_last() {
  const int n = 2, c = 5, h = 4, w = 3;
  dim4 from = {n, c, h, w}, to = {n, h, w, c};
  float *out = ppl::malloc<float>(&to),
        *in = ppl::rand<float>(&from, -1.0, 1.0);
  permute(out, in, n, c, h, w);
  expect(out, &to, [&](int i, int y, int x, int k) {
    return in[((i * c + k) * h + y) * w + x];
  });
}
