//===- attention.cpp - attention, rotary embedding, gated units -----------===//

#include "tiles.h"

using namespace ppl;

// softmax(q k^T / sqrt(d)) v for each head: q [heads, rows, d], k and v
// [heads, keys, d]. Scores and softmax in fp32, products in fp16.
__KERNEL__ void attention(fp16 *out, fp16 *q, fp16 *k, fp16 *v, int heads,
                          int rows, int keys, int d, bool pipelined) {
  dim4 qs = {1, rows, 1, d}, ks = {1, keys, 1, d}, ss = {1, rows, 1, keys},
       one = {1, rows, 1, 1};
  dim4 allQ = {heads, rows, 1, d}, allK = {heads, keys, 1, d};
  gtensor<fp16> gq(allQ, GLOBAL, q), gk(allK, GLOBAL, k), gv(allK, GLOBAL, v),
      go(allQ, GLOBAL, out);
  forTiles(pipelined, heads, 1, [&](int head, int) {
    dim4 at = {head, 0, 0, 0};
    tensor<fp16> query(qs), key(ks), value(ks), weights(ss), result(qs);
    dma::load(query, gq.sub_view(qs, at));
    dma::load(key, gk.sub_view(ks, at));
    dma::load(value, gv.sub_view(ks, at));
    tensor<float> scores(ss), scaled(ss), shifted(ss), e(ss), p(ss);
    tensor<float> top(one), sum(one), factor(one);
    tiu::fmm2_nt(scores, query, key);
    tiu::fmul(scaled, scores, 1 / std::sqrt(float(d)));
    quick_pooling(top, scaled, &ss, &ss, -3.0e38f, 0);
    tiu::fsub(shifted, scaled, top);
    exp_no_overflow(e, shifted, &ss);
    quick_pooling(sum, e, &ss, &ss, 0.0f, 1);
    tiu::fdiv(factor, 1.0f, sum);
    tiu::fmul(p, e, factor);
    tiu::cast(weights, p);
    tiu::fmm2_nn(result, weights, value);
    dma::store(go.sub_view(qs, at), result);
  });
}
static void testAttention(bool pipelined) {
  const int heads = 4, rows = 48, keys = 80, d = 64;
  dim4 qs = {heads, rows, 1, d}, ks = {heads, keys, 1, d};
  fp16 *out = ppl::malloc<fp16>(&qs), *q = ppl::rand<fp16>(&qs, -2.0, 2.0),
       *k = ppl::rand<fp16>(&ks, -2.0, 2.0),
       *v = ppl::rand<fp16>(&ks, -1.0, 1.0);
  attention(out, q, k, v, heads, rows, keys, d, pipelined);
  std::vector<double> p(size_t(heads) * rows * keys);
  for (int h = 0; h < heads; ++h)
    for (int r = 0; r < rows; ++r) {
      double *row = &p[(size_t(h) * rows + r) * keys], sum = 0;
      for (int j = 0; j < keys; ++j) {
        double score = 0;
        for (int i = 0; i < d; ++i)
          score += double(float(q[(h * rows + r) * d + i])) *
                   float(k[(h * keys + j) * d + i]);
        row[j] = std::exp(score / std::sqrt(double(d)));
        sum += row[j];
      }
      for (int j = 0; j < keys; ++j)
        row[j] /= sum;
    }
  // The weights, which sum up to 1, and the result are rounded to fp16.
  expect(
      out, &qs,
      [&](int h, int r, int, int i) {
        double sum = 0;
        for (int j = 0; j < keys; ++j)
          sum += p[(size_t(h) * rows + r) * keys + j] *
                 float(v[(h * keys + j) * d + i]);
        return sum;
      },
      kFp16, 1.1 * kFp16);
}
__TEST__ void attention_heads() { testAttention(false); }
__TEST__ void attention_heads_pipelined() { testAttention(true); }

// Rotary embedding of pairs (x[i], x[i + d/2]): angles are made on the chip
// from the position, as position * base^(-2i/d).
__KERNEL__ void rope(float *out, float *in, float *frequency, int rows, int d,
                     const int tile, bool pipelined) {
  int half = d / 2;
  dim4 all = {1, rows, 2, half}, block = {1, tile, 2, half},
       blockHalf = {1, tile, 1, half}, lanes = {1, LANE_NUM, 1, half},
       vector = {1, 1, 1, half};
  tensor<float> f(lanes);
  dma::load_broadcast(f, gtensor<float>(vector, GLOBAL, frequency));
  // Positions 0, 1, 2, ... down the lanes.
  dim4 column = {1, tile, 1, 1};
  gtensor<float> gin(all, GLOBAL, in), gout(all, GLOBAL, out);
  tensor<int> steps({1, LANE_NUM, 1, tile});
  arange_broadcast(steps, LANE_NUM, 0, 1, tile);
  tensor<int> positions({1, tile, 1, LANE_NUM});
  tiu::transpose_wc(positions, steps);
  tensor<float> first({1, tile, 1, LANE_NUM});
  tiu::cast(first, positions);
  forTiles(pipelined, rows, tile, [&](int row, int count) {
    dim4 part = {1, count, 2, half}, half1 = {1, count, 1, half},
         at = {0, row, 0, 0}, one = {1, count, 1, 1};
    auto x = make_tensor<float>(block, part),
         y = make_tensor<float>(block, part);
    dma::load(x, gin.sub_view(part, at));
    auto position = make_tensor<float>(column, one);
    tiu::fadd(position, first.sub_view(one, {0, 0, 0, 0}), float(row));
    auto angle = make_tensor<float>(blockHalf, half1),
         s = make_tensor<float>(blockHalf, half1),
         c = make_tensor<float>(blockHalf, half1),
         u = make_tensor<float>(blockHalf, half1),
         t = make_tensor<float>(blockHalf, half1);
    tiu::fmul(angle, f.sub_view(half1, {0, 0, 0, 0}), position);
    fsin(s, angle, &blockHalf, &half1);
    fcos(c, angle, &blockHalf, &half1);
    auto low = x.sub_view(half1, {0, 0, 0, 0}),
         high = x.sub_view(half1, {0, 0, 1, 0});
    tiu::fmul(u, low, c);
    tiu::fmul(t, high, s);
    tiu::fsub(y.sub_view(half1, {0, 0, 0, 0}), u, t);
    tiu::fmul(u, low, s);
    tiu::fmul(t, high, c);
    tiu::fadd(y.sub_view(half1, {0, 0, 1, 0}), u, t);
    dma::store(gout.sub_view(part, at), y);
  });
}
static void testRope(bool pipelined) {
  const int rows = 150, d = 64;
  dim4 shape = {1, rows, 2, d / 2}, vector = {1, 1, 1, d / 2};
  float *out = ppl::malloc<float>(&shape),
        *in = ppl::rand<float>(&shape, -1.0, 1.0),
        *frequency = ppl::malloc<float>(&vector);
  for (int i = 0; i < d / 2; ++i)
    frequency[i] = float(std::pow(10000.0, -2.0 * i / d));
  rope(out, in, frequency, rows, d, 64, pipelined);
  // The angle, up to 150, is rounded to fp32: 2^-17. The rest is a few ulp.
  expect(
      out, &shape,
      [&](int, int r, int h, int i) {
        double angle = double(r) * frequency[i], c = std::cos(angle),
               s = std::sin(angle);
        double low = in[r * d + i], high = in[r * d + d / 2 + i];
        return h == 0 ? low * c - high * s : low * s + high * c;
      },
      0, 2 * 0x1p-17);
}
__TEST__ void rope_rows() { testRope(false); }
__TEST__ void rope_rows_pipelined() { testRope(true); }

// (silu(x W) * (x V)) of a gated feed forward layer.
__KERNEL__ void swiglu(bf16 *out, bf16 *x, bf16 *w, bf16 *v, int rows, int d,
                       int hidden, const int tile, bool pipelined) {
  dim4 xs = {1, rows, 1, d}, ws = {1, d, 1, hidden}, os = {1, rows, 1, hidden};
  dim4 block = {1, rows, 1, tile}, weights = {1, d, 1, tile};
  tensor<bf16> input(xs);
  dma::load(input, gtensor<bf16>(xs, GLOBAL, x));
  gtensor<bf16> gw(ws, GLOBAL, w), gv(ws, GLOBAL, v), go(os, GLOBAL, out);
  forTiles(pipelined, hidden, tile, [&](int column, int count) {
    dim4 part = {1, rows, 1, count}, some = {1, d, 1, count},
         at = {0, 0, 0, column};
    auto left = make_tensor<bf16>(weights, some),
         right = make_tensor<bf16>(weights, some);
    dma::load(left, gw.sub_view(some, at));
    dma::load(right, gv.sub_view(some, at));
    auto a = make_tensor<float>(block, part),
         b = make_tensor<float>(block, part),
         s = make_tensor<float>(block, part),
         g = make_tensor<float>(block, part),
         y = make_tensor<float>(block, part);
    tiu::fmm2_nn(a, input, left);
    tiu::fmm2_nn(b, input, right);
    sigmoid_fp32(s, a, &block, &part);
    tiu::fmul(g, a, s);
    tiu::fmul(y, g, b);
    auto result = make_tensor<bf16>(block, part);
    tiu::cast(result, y);
    dma::store(go.sub_view(part, at), result);
  });
}
static void testSwiglu(bool pipelined) {
  const int rows = 20, d = 64, hidden = 200;
  dim4 xs = {1, rows, 1, d}, ws = {1, d, 1, hidden}, os = {1, rows, 1, hidden};
  bf16 *out = ppl::malloc<bf16>(&os), *x = ppl::rand<bf16>(&xs, -1.0, 1.0),
       *w = ppl::rand<bf16>(&ws, -0.5, 0.5),
       *v = ppl::rand<bf16>(&ws, -0.5, 0.5);
  swiglu(out, x, w, v, rows, d, hidden, 64, pipelined);
  // Rounded to bf16 once; the sums, of at most 32, are exact to 2^-18, and
  // those of the other factor.
  expect(
      out, &os,
      [&](int, int r, int, int n) {
        double a = 0, b = 0;
        for (int k = 0; k < d; ++k) {
          a += double(float(x[r * d + k])) * float(w[k * hidden + n]);
          b += double(float(x[r * d + k])) * float(v[k * hidden + n]);
        }
        return a / (1 + std::exp(-a)) * b;
      },
      1.01 * kBf16, 2 * 32 * 0x1p-18);
}
__TEST__ void swiglu_rows() { testSwiglu(false); }
__TEST__ void swiglu_rows_pipelined() { testSwiglu(true); }
