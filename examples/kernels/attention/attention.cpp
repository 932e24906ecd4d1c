//===- attention.cpp - flash attention: prefill, grouped heads, paged cache
//===//
//
// out = softmax(q k^T / sqrt(d)) v for each head, fp16 with scores, softmax and
// sums in fp32. q and out [heads, rows, d], k and v [kvHeads, keys, d]; a group
// of heads / kvHeads query heads shares keys and values (GQA).
//
// attention_causal lets a query see the keys up to its own position; the rows
// are the last of the keys' positions.
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
  bool causal = false;
  /// The rows of a group lie one after the other: one matrix.
  int groupRows() const { return heads / kvHeads * rows; }
  /// The keys that some rows of a group see, those before this one.
  int seen(int row, int count) const {
    int last = row % rows + count - 1;
    return causal ? keys - rows + min(last + 1, rows) : keys;
  }
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
  int head, row, rows, first, keys; // `keys` of the tile from key `first` on
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
  // The fewer rows, the fewer keys that only some of them see. If keys have to
  // come again for other rows, large tiles are worth more.
  Tiling few = {min(s.groupRows(), LANE_NUM), s.keys};
  if (s.causal && bytes(few) <= lane_bytes())
    return few;
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
/// Takes the keys behind a query's position away from it.
class Mask {
public:
  Mask(const Sizes &s, const Tiling &t)
      : s(s), ahead(dim4{1, t.rows, 1, t.keys}) {
    dim4 line = {1, 1, 1, t.rows}, column = {1, t.rows, 1, 1};
    tensor<int> row(line), rows(column);
    tensor<int> columns(ahead.getShape());
    arange_broadcast(row, 1, 0, 1, t.rows);
    tiu::transpose_wc(rows, row);
    arange_broadcast(columns, t.rows, 0, 1, t.keys);
    tiu::sub(ahead, columns, rows, 0, RM_HALF_TO_EVEN, false);
  }
  /// Rows of one head at a time, and of these only keys that not all see. No
  /// more than there are lanes: a mask of one column has one row a lane.
  void apply(const tensor<float> &scores, const Step &step) const {
    for (int i = 0, n; i < step.rows; i += n) {
      int row = (step.row + i) % s.rows;
      n = min(LANE_NUM, min(s.rows - row, step.rows - i));
      int own = s.keys - s.rows + row - step.first;
      int from = max(0, own + 1) / get_eu_num<float>() * get_eu_num<float>();
      if (own + 1 >= step.keys)
        continue;
      dim4 part = {1, n, 1, step.keys - from}, at = {0, i, 0, from};
      auto hidden = scores.sub_view(part, at);
      tiu::gt_select(hidden, ahead.sub_view(part, at), own - i, -3.0e38f,
                     hidden);
    }
  }

private:
  Sizes s;
  tensor<int> ahead; // column - row
};

/// The softmax of some rows while their keys go by.
class Rows {
public:
  Rows(const Sizes &s, int rows)
      : scale(1 / std::sqrt(float(s.d))), rows(rows), one{1, rows, 1, 1},
        shape{1, rows, 1, s.d}, products(shape) {}

  void add(const Step &step, const std::optional<Mask> &mask) {
    int keys = step.keys;
    dim4 used = {1, keys, 1, shape.w}, start = {0, 0, 0, 0};
    dim4 real = {1, rows, 1, keys};
    // quick_pooling fills rows up.
    dim4 block = {1, rows, 1, align(keys, get_eu_num<float>())};
    auto scores = make_tensor<float>(block, real);
    auto shifted = make_tensor<float>(block, real);
    auto power = make_tensor<float>(block, real);
    tensor<float> largest(one), some(one);
    tiu::fmm2_nt(scores, *step.queries, step.tile->keys.sub_view(used, start));
    if (mask)
      mask->apply(scores, step);
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
    tiu::fmm2_nn(products, weights, step.tile->values.sub_view(used, start),
                 top.has_value());
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
    for (int row = 0; row < s.groupRows(); row += t.rows) {
      int rows = min(t.rows, s.groupRows() - row), seen = s.seen(row, rows);
      for (int key = 0; key < seen; key += t.keys)
        steps.push_back(
            {head, row, rows, key, min(t.keys, seen - key), {}, {}});
    }
  auto load = [&](size_t i) {
    if (i == steps.size())
      return;
    Step &step = steps[i];
    dim4 shape = {1, step.rows, 1, s.d};
    if (step.first == 0) {
      step.queries = std::make_shared<tensor<fp16>>(shape);
      dma::load(*step.queries, gq.sub_view(shape, {step.head, step.row, 0, 0}));
    } else {
      step.queries = steps[i - 1].queries;
    }
    if (t.keys >= s.keys && i > 0 && steps[i - 1].head == step.head) {
      step.tile = steps[i - 1].tile;
      return;
    }
    step.tile = std::make_shared<KeyTile>(
        step.head, step.first, min(t.keys, s.keys - step.first), s.d);
    loadKeys(*step.tile);
  };
  std::optional<Mask> mask;
  if (s.causal && s.rows > 1)
    mask.emplace(s, t);
  load(0);
  std::optional<Rows> rows;
  for (size_t i = 0; i < steps.size(); ++i) {
    load(i + 1);
    Step &step = steps[i];
    if (step.first == 0)
      rows.emplace(s, step.rows);
    rows->add(step, mask);
    if (i + 1 == steps.size() || steps[i + 1].first == 0) {
      dim4 shape = {1, step.rows, 1, s.d};
      tensor<fp16> result(shape);
      rows->finish(result);
      dma::store(go.sub_view(shape, {step.head, step.row, 0, 0}), result);
    }
    step = {};
  }
}

static void attendInOrder(fp16 *out, fp16 *q, fp16 *k, fp16 *v,
                          const Sizes &s) {
  dim4 all = {s.kvHeads, s.keys, 1, s.d};
  gtensor<fp16> gk(all, GLOBAL, k), gv(all, GLOBAL, v);
  attend(out, q, s, [&](KeyTile &tile) {
    dim4 part = {1, tile.count, 1, s.d}, at = {tile.head, tile.first, 0, 0};
    dma::load(tile.keys, gk.sub_view(part, at));
    dma::load(tile.values, gv.sub_view(part, at));
  });
}
__KERNEL__ void attention(fp16 *out, fp16 *q, fp16 *k, fp16 *v, int heads,
                          int kvHeads, int rows, int keys, int d) {
  attendInOrder(out, q, k, v, {heads, kvHeads, rows, keys, d});
}
__KERNEL__ void attention_causal(fp16 *out, fp16 *q, fp16 *k, fp16 *v,
                                 int heads, int kvHeads, int rows, int keys,
                                 int d) {
  assert(rows <= keys && "a query has no key at its position");
  attendInOrder(out, q, k, v, {heads, kvHeads, rows, keys, d, true});
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
      int seen = s.seen(r, 1);
      for (int j = 0; j < seen; ++j) {
        p[j] = 0;
        for (int i = 0; i < s.d; ++i)
          p[j] += double(float(query[i])) * wideK[j * s.d + i];
        top = std::fmax(top, p[j]);
      }
      for (int j = 0; j < seen; ++j)
        sum += p[j] = std::exp((p[j] - top) / std::sqrt(double(s.d)));
      for (int j = 0; j < seen; ++j)
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
  (s.causal ? attention_causal : attention)(out, q, k, v, s.heads, s.kvHeads,
                                            s.rows, s.keys, s.d);
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

__TEST__ void attention_causal_h8_s512_t512_d128() {
  test({8, 8, 512, 512, 128, true});
}
__TEST__ void attention_causal_odd() { test({3, 3, 137, 191, 40, true}); }
// Rows of several heads in a tile.
__TEST__ void attention_causal_grouped() { test({6, 2, 29, 77, 72, true}); }
__TEST__ void attention_causal_decode() { test({6, 2, 1, 77, 72, true}); }
// Keys in several tiles, of which the first rows see some only.
__TEST__ void attention_causal_many_keys() {
  test({1, 1, 301, 3001, 64, true});
}

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
