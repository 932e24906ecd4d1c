//===- attention.cpp - flash attention: prefill, grouped heads, paged cache
//===//
//
// out = softmax(q k^T / sqrt(d)) v for each head, fp16 with scores, softmax and
// sums in fp32. q and out [heads, rows, d], k and v [kvHeads, keys, d]; a group
// of heads / kvHeads query heads shares keys and values (GQA).
//
// attention_paged reads keys and values of a cache [kvHeads, slots, d] in which
// they lie anywhere: `slot` [keys] is the row of each position.
//
//===----------------------------------------------------------------------===//

#include "ppl.h"

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

using namespace ppl;

namespace {
struct Sizes {
  int heads, kvHeads, rows, keys, d;
  /// The rows of a group lie one after the other: one matrix.
  int groupRows() const { return heads / kvHeads * rows; }
};

/// Rows of queries and keys of a step. Scores never leave local memory.
struct Tiling {
  int rows, keys;
};

/// Keys and values of a step; steps that use the same share them.
struct KeyTile {
  int head, first, count;
  tensor<fp16> keys, values;
  KeyTile(int head, int first, int count, int d)
      : head(head), first(first), count(count), keys(dim4{1, count, 1, d}),
        values(dim4{1, count, 1, d}) {}
};

/// One tile of keys for some rows of queries of a group.
struct Step {
  int head, row, rows;
  std::shared_ptr<KeyTile> tile;
  std::shared_ptr<tensor<fp16>> queries;
};
} // namespace

/// All keys at once if they fit, so that nothing is rescaled; otherwise both
/// sides shrink. At least four steps, of which loads and products overlap.
static Tiling chooseTiling(const Sizes &s) {
  const int steps = 4;
  // Scores, what the exponential needs (fp32), weights; sums and products;
  // queries, results, keys and values of this step and the next.
  auto bytes = [&](const Tiling &t) {
    return 7 * tile_bytes(t.rows, align(t.keys, 16), sizeof(float)) +
           2 * tile_bytes(t.rows, s.d, sizeof(float)) +
           4 * tile_bytes(t.rows, s.d, 2) + 6 * tile_bytes(t.keys, s.d, 2);
  };
  Tiling t = {s.groupRows(), s.keys};
  while (t.rows > LANE_NUM && s.kvHeads * div_up(s.groupRows(), t.rows) < steps)
    t.rows = align(div_up(t.rows, 2), LANE_NUM);
  while (bytes(t) > lane_bytes() && max(t.rows, t.keys) > LANE_NUM)
    if (t.rows > LANE_NUM && t.rows * 2 > t.keys)
      t.rows = align(div_up(t.rows, 2), LANE_NUM);
    else
      t.keys = align(div_up(t.keys, 2), LANE_NUM);
  assert(bytes(t) <= lane_bytes() && "d is too large for local memory");
  return t;
}

namespace {
/// The softmax of some rows while their keys go by.
class Rows {
public:
  Rows(const Sizes &s, int rows)
      : scale(1 / std::sqrt(float(s.d))), rows(rows), one{1, rows, 1, 1},
        shape{1, rows, 1, s.d}, products(shape) {}

  void add(const tensor<fp16> &queries, KeyTile &tile) {
    int keys = tile.count;
    dim4 real = {1, rows, 1, keys};
    // quick_pooling fills rows up.
    dim4 block = {1, rows, 1, align(keys, get_eu_num<float>())};
    auto scores = make_tensor<float>(block, real);
    auto shifted = make_tensor<float>(block, real);
    auto power = make_tensor<float>(block, real);
    tensor<float> largest(one), some(one);
    tiu::fmm2_nt(scores, queries, tile.keys);
    quick_pooling(largest, scores, &block, &real, -3.0e38f, 0);
    if (top)
      rescale(largest);
    tiu::fsub(shifted, scores, largest);
    tiu::fmul(shifted, shifted, scale);
    exp_no_overflow(power, shifted, &block, &real);
    tensor<fp16> weights(real);
    tiu::cast(weights, power);
    quick_pooling(some, power, &block, &real, 0.0f, 1);
    if (top)
      tiu::fadd(*sum, *sum, some);
    else
      sum.emplace(some);
    tiu::fmm2_nn(products, weights, tile.values, top.has_value());
    top.emplace(largest);
  }
  void finish(const tensor<fp16> &result) {
    tensor<float> factor(one), quotient(shape);
    tiu::fdiv(factor, 1.0f, *sum);
    tiu::fmul(quotient, products, factor);
    tiu::cast(result, quotient);
  }

private:
  /// What was added so far is relative to the old maximum.
  void rescale(const tensor<float> &largest) {
    tensor<float> change(one), factor(one);
    tiu::fmax(largest, largest, *top);
    tiu::fsub(change, *top, largest);
    tiu::fmul(change, change, scale);
    exp_no_overflow(factor, change, &one);
    tiu::fmul(*sum, *sum, factor);
    tiu::fmul(products, products, factor);
  }

  float scale;
  int rows;
  dim4 one, shape;
  tensor<float> products;
  std::optional<tensor<float>> top, sum;
};
} // namespace

/// `loadKeys(tile)` fetches keys and values. The next step is loaded before
/// this one is computed.
template <class LoadKeys>
static void attend(fp16 *out, fp16 *q, const Sizes &s, LoadKeys loadKeys) {
  assert(s.heads >= 1 && s.kvHeads >= 1 && s.heads % s.kvHeads == 0);
  assert(s.rows >= 1 && s.keys >= 1 && s.d >= 1);
  Tiling t = chooseTiling(s);
  dim4 all = {s.kvHeads, s.groupRows(), 1, s.d};
  gtensor<fp16> gq(all, GLOBAL, q), go(all, GLOBAL, out);
  std::vector<Step> steps;
  for (int head = 0; head < s.kvHeads; ++head)
    for (int row = 0; row < s.groupRows(); row += t.rows)
      for (int key = 0; key < s.keys; key += t.keys)
        steps.push_back({head, row, min(t.rows, s.groupRows() - row), {}, {}});
  int tiles = div_up(s.keys, t.keys);
  auto load = [&](size_t i) {
    if (i == steps.size())
      return;
    Step &step = steps[i];
    int first = int(i) % tiles * t.keys;
    dim4 shape = {1, step.rows, 1, s.d};
    if (first == 0) {
      step.queries = std::make_shared<tensor<fp16>>(shape);
      dma::load(*step.queries, gq.sub_view(shape, {step.head, step.row, 0, 0}));
    } else {
      step.queries = steps[i - 1].queries;
    }
    if (tiles == 1 && i > 0 && steps[i - 1].head == step.head) {
      step.tile = steps[i - 1].tile;
      return;
    }
    step.tile = std::make_shared<KeyTile>(step.head, first,
                                          min(t.keys, s.keys - first), s.d);
    loadKeys(*step.tile);
  };
  load(0);
  std::optional<Rows> rows;
  for (size_t i = 0; i < steps.size(); ++i) {
    load(i + 1);
    Step &step = steps[i];
    if (i % tiles == 0)
      rows.emplace(s, step.rows);
    rows->add(*step.queries, *step.tile);
    if (int(i % tiles) == tiles - 1) {
      dim4 shape = {1, step.rows, 1, s.d};
      tensor<fp16> result(shape);
      rows->finish(result);
      dma::store(go.sub_view(shape, {step.head, step.row, 0, 0}), result);
    }
    step = {};
  }
}

__KERNEL__ void attention(fp16 *out, fp16 *q, fp16 *k, fp16 *v, int heads,
                          int kvHeads, int rows, int keys, int d) {
  Sizes s = {heads, kvHeads, rows, keys, d};
  dim4 all = {kvHeads, keys, 1, d};
  gtensor<fp16> gk(all, GLOBAL, k), gv(all, GLOBAL, v);
  attend(out, q, s, [&](KeyTile &tile) {
    dim4 part = {1, tile.count, 1, d}, at = {tile.head, tile.first, 0, 0};
    dma::load(tile.keys, gk.sub_view(part, at));
    dma::load(tile.values, gv.sub_view(part, at));
  });
}

/// Each lane fetches the rows of its positions from the whole cache of a head.
__KERNEL__ void attention_paged(fp16 *out, fp16 *q, fp16 *k, fp16 *v,
                                uint32 *slot, int heads, int kvHeads, int rows,
                                int keys, int slots, int d) {
  Sizes s = {heads, kvHeads, rows, keys, d};
  dim4 all = {kvHeads, 1, slots, d};
  gtensor<fp16> gk(all, GLOBAL, k), gv(all, GLOBAL, v);
  gtensor<uint32> index({1, keys, 1, 1}, GLOBAL, slot);
  attend(out, q, s, [&](KeyTile &tile) {
    dim4 cache = {1, tile.count, slots, d}, same = {0, 0, d, 1},
         head = {1, 1, slots, d}, at = {tile.head, 0, 0, 0};
    auto which = index.sub_view({1, tile.count, 1, 1}, {0, tile.first, 0, 0});
    dma::gather_h(tile.keys, gk.sub_view(head, at).view(cache, same), which, 0);
    dma::gather_h(tile.values, gv.sub_view(head, at).view(cache, same), which,
                  0);
  });
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

/// Attention in double; `place(j)` is the row of k and v of position j.
template <class Place>
static std::vector<double> reference(fp16 *q, fp16 *k, fp16 *v, const Sizes &s,
                                     int slots, Place place) {
  std::vector<double> result(size_t(s.heads) * s.rows * s.d), p(s.keys);
  for (int h = 0; h < s.heads; ++h) {
    fp16 *keys = k + size_t(h / (s.heads / s.kvHeads)) * slots * s.d,
         *values = v + size_t(h / (s.heads / s.kvHeads)) * slots * s.d;
    std::vector<float> wideK(size_t(s.keys) * s.d), wideV(wideK.size());
    for (int j = 0; j < s.keys; ++j)
      for (int i = 0; i < s.d; ++i) {
        wideK[j * s.d + i] = float(keys[place(j) * s.d + i]);
        wideV[j * s.d + i] = float(values[place(j) * s.d + i]);
      }
    for (int r = 0; r < s.rows; ++r) {
      fp16 *query = q + (size_t(h) * s.rows + r) * s.d;
      double *line = &result[(size_t(h) * s.rows + r) * s.d], sum = 0,
             top = -1e9;
      for (int j = 0; j < s.keys; ++j) {
        p[j] = 0;
        for (int i = 0; i < s.d; ++i)
          p[j] += double(float(query[i])) * wideK[j * s.d + i];
        top = std::fmax(top, p[j]);
      }
      for (int j = 0; j < s.keys; ++j)
        sum += p[j] = std::exp((p[j] - top) / std::sqrt(double(s.d)));
      for (int j = 0; j < s.keys; ++j)
        for (int i = 0; i < s.d; ++i)
          line[i] += p[j] / sum * wideV[j * s.d + i];
    }
  }
  return result;
}

// Weights, at most 1 and of sum 1 after the division, and the result are
// rounded to fp16, values are at most 1. Scores, below 40, are off by 2^-17 of
// their terms in fp32, the exponentials by as much.
static constexpr double kHalf = 0x1p-11, kAbsolute = 1.1 * kHalf;

static void test(const Sizes &s) {
  dim4 qs = {s.heads, s.rows, 1, s.d}, ks = {s.kvHeads, s.keys, 1, s.d};
  fp16 *out = ppl::malloc<fp16>(&qs), *q = ppl::rand<fp16>(&qs, -2.0, 2.0),
       *k = ppl::rand<fp16>(&ks, -2.0, 2.0),
       *v = ppl::rand<fp16>(&ks, -1.0, 1.0);
  attention(out, q, k, v, s.heads, s.kvHeads, s.rows, s.keys, s.d);
  expect(out, &qs, reference(q, k, v, s, s.keys, [](int j) { return j; }),
         1.01 * kHalf, kAbsolute);
}
__TEST__ void attention_h8_s256_t512_d128() { test({8, 8, 256, 512, 128}); }
__TEST__ void attention_grouped_h16_kv2_s64_t512_d128() {
  test({16, 2, 64, 512, 128});
}
__TEST__ void attention_odd() { test({3, 3, 37, 91, 40}); }
__TEST__ void attention_grouped_odd() { test({6, 2, 29, 77, 72}); }
// Keys in several tiles, whose sums are rescaled.
__TEST__ void attention_many_keys() { test({1, 1, 70, 3001, 64}); }

static void testPaged(const Sizes &s, int slots, int page) {
  dim4 qs = {s.heads, s.rows, 1, s.d}, ks = {s.kvHeads, slots, 1, s.d},
       is = {1, s.keys, 1, 1};
  fp16 *out = ppl::malloc<fp16>(&qs), *q = ppl::rand<fp16>(&qs, -2.0, 2.0),
       *k = ppl::rand<fp16>(&ks, -2.0, 2.0),
       *v = ppl::rand<fp16>(&ks, -1.0, 1.0);
  uint32 *slot = ppl::malloc<uint32>(&is);
  // Pages in an order that is not theirs: 7 is prime to their number.
  int pages = slots / page;
  assert(pages % 7 != 0 && pages * page >= s.keys);
  for (int j = 0; j < s.keys; ++j)
    slot[j] = uint32((j / page * 7 + 3) % pages * page + j % page);
  attention_paged(out, q, k, v, slot, s.heads, s.kvHeads, s.rows, s.keys, slots,
                  s.d);
  expect(out, &qs,
         reference(q, k, v, s, slots, [&](int j) { return int(slot[j]); }),
         1.01 * kHalf, kAbsolute);
}
__TEST__ void attention_paged_h16_kv2_t2048_d128() {
  testPaged({16, 2, 1, 2048, 128}, 4096, 16);
}
__TEST__ void attention_paged_odd() { testPaged({6, 3, 2, 101, 40}, 160, 5); }
