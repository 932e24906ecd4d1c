//===- indexing.cpp - gather, scatter, selection --------------------------===//

#include "tiles.h"

using namespace ppl;

// An embedding: rows of a table by index, and a learned position added.
__KERNEL__ void embedding(float *out, float *table, float *position,
                          uint32 *index, int words, int count, int d,
                          const int tile, bool pipelined) {
  dim4 all = {1, 1, count, d}, vocabulary = {1, 1, words, d},
       list = {1, 1, count, 1};
  gtensor<float> gt(vocabulary, GLOBAL, table), gp(all, GLOBAL, position),
      go(all, GLOBAL, out);
  gtensor<uint32> gi(list, GLOBAL, index);
  forTiles(pipelined, count, tile, [&](int row, int rows) {
    dim4 part = {1, 1, rows, d}, at = {0, 0, row, 0}, block = {1, 1, tile, d};
    auto x = make_tensor<float>(block, part),
         p = make_tensor<float>(block, part),
         y = make_tensor<float>(block, part);
    dma::gather_h(x, gt, gi.sub_view({1, 1, rows, 1}, at), 0.0f);
    dma::load(p, gp.sub_view(part, at));
    tiu::fadd(y, x, p);
    dma::store(go.sub_view(part, at), y);
  });
}
static void testEmbedding(bool pipelined) {
  const int words = 90, count = 50, d = 48;
  dim4 all = {1, 1, count, d}, vocabulary = {1, 1, words, d},
       list = {1, 1, count, 1};
  float *out = ppl::malloc<float>(&all),
        *table = ppl::rand<float>(&vocabulary, -1.0, 1.0),
        *position = ppl::rand<float>(&all, -1.0, 1.0);
  uint32 *index = ppl::rand<uint32>(&list, 0, words - 1);
  embedding(out, table, position, index, words, count, d, 16, pipelined);
  expect(out, &all, [&](int, int, int r, int w) {
    return float(double(table[index[r] * d + w]) + position[r * d + w]);
  });
}
__TEST__ void embedding_rows() { testEmbedding(false); }
__TEST__ void embedding_rows_pipelined() { testEmbedding(true); }

// Rows written to places that an index list names.
__KERNEL__ void scatter_rows(fp16 *out, fp16 *rows, uint32 *index, int c,
                             int count, int places, int d) {
  dim4 some = {1, c, count, d}, all = {1, c, places, d},
       list = {1, c, count, 1};
  gtensor<fp16> to(all, GLOBAL, out), from(some, GLOBAL, rows);
  gtensor<uint32> where(list, GLOBAL, index);
  dma::zero(to);
  dma::scatter_h(to, from, where);
}
__TEST__ void scatter_to_named_rows() {
  const int c = 6, count = 5, places = 12, d = 20;
  dim4 some = {1, c, count, d}, all = {1, c, places, d},
       list = {1, c, count, 1};
  fp16 *out = ppl::malloc<fp16>(&all),
       *rows = ppl::rand<fp16>(&some, -1.0, 1.0);
  uint32 *index = ppl::malloc<uint32>(&list);
  for (int k = 0; k < c; ++k)
    for (int i = 0; i < count; ++i)
      index[k * count + i] = uint32((7 * i + 5 * k) % places);
  scatter_rows(out, rows, index, c, count, places, d);
  expect(out, &all, [&](int, int k, int place, int w) {
    for (int i = 0; i < count; ++i)
      if (int(index[k * count + i]) == place)
        return float(rows[(k * count + i) * d + w]);
    return 0.0f;
  });
}

// PPL 4.6.3: one index list for all channels, in local memory.
__KERNEL__ void pick_columns(float *out, float *in, uint16 *index, int c, int w,
                             int count) {
  dim4 from = {1, c, 1, w}, to = {1, c, 1, count}, list = {1, count, 1, 1};
  tensor<float> x(from), y(to);
  tensor<uint16> i(list, TPU_COMPACT);
  dma::load(x, gtensor<float>(from, GLOBAL, in));
  dma::load_compact(i, gtensor<uint16>(list, GLOBAL, index));
  tiu::gather_w(y, x, i);
  dma::store(gtensor<float>(to, GLOBAL, out), y);
}
__TEST__ void pick_columns_by_list() {
  const int c = 64, w = 100, count = 30;
  dim4 from = {1, c, 1, w}, to = {1, c, 1, count}, list = {1, count, 1, 1};
  float *out = ppl::malloc<float>(&to),
        *in = ppl::rand<float>(&from, -1.0, 1.0);
  uint16 *index = ppl::rand<uint16>(&list, 0, w - 1);
  pick_columns(out, in, index, c, w, count);
  expect(out, &to,
         [&](int, int k, int, int i) { return in[k * w + index[i]]; });
}

// PPL 4.6.2: where(a > b, x, y), and an arg max kept along with the maximum.
__KERNEL__ void where_greater(float *out, float *a, float *b, float *x,
                              float *y, int n) {
  dim4 shape = {1, 64, 1, n};
  tensor<float> ta(shape), tb(shape), tx(shape), ty(shape), result(shape);
  dma::load(ta, gtensor<float>(shape, GLOBAL, a));
  dma::load(tb, gtensor<float>(shape, GLOBAL, b));
  dma::load(tx, gtensor<float>(shape, GLOBAL, x));
  dma::load(ty, gtensor<float>(shape, GLOBAL, y));
  tiu::gt_select(result, ta, tb, tx, ty);
  dma::store(gtensor<float>(shape, GLOBAL, out), result);
}
__TEST__ void where_one_is_greater() {
  dim4 shape = {1, 64, 1, 50};
  float *out = ppl::malloc<float>(&shape);
  float *v[4];
  for (float *&p : v)
    p = ppl::rand<float>(&shape, -1.0, 1.0);
  where_greater(out, v[0], v[1], v[2], v[3], 50);
  expect(out, &shape,
         [&](int64_t i) { return v[0][i] > v[1][i] ? v[2][i] : v[3][i]; });
}

__KERNEL__ void arg_max(float *best, int32 *where, float *in, int rows,
                        int columns, const int tile) {
  // Each lane keeps the larger of what it has seen and its column of this
  // round, with the number of the round.
  dim4 row = {1, rows, 1, tile};
  gtensor<float> gin({1, rows, 1, columns}, GLOBAL, in);
  tensor<float> most(row), next(row), other(row);
  tensor<int32> at(row), then(row);
  dma::load(most, gin.sub_view(row, {0, 0, 0, 0}));
  tiu::fill(at, 0);
  for (int start = tile; start < columns; start += tile) {
    dma::load(next, gin.sub_view(row, {0, 0, 0, start}));
    // The earlier one wins a tie: next > most, not >=.
    tiu::max_gt_select(other, then, next, most, start / tile, at);
    tiu::move(most, other);
    tiu::move(at, then);
  }
  dma::store(gtensor<float>(row, GLOBAL, best), most);
  dma::store(gtensor<int32>(row, GLOBAL, where), at);
}
__TEST__ void arg_max_of_columns() {
  const int rows = 64, columns = 160, tile = 16;
  dim4 all = {1, rows, 1, columns}, row = {1, rows, 1, tile};
  float *best = ppl::malloc<float>(&row),
        *in = ppl::rand<float>(&all, -1.0, 1.0);
  int32 *where = ppl::malloc<int32>(&row);
  arg_max(best, where, in, rows, columns, tile);
  auto found = [&](int r, int w) {
    int at = 0;
    for (int i = 1; i < columns / tile; ++i)
      if (in[r * columns + i * tile + w] > in[r * columns + at * tile + w])
        at = i;
    return at;
  };
  expect(best, &row, [&](int, int r, int, int w) {
    return in[r * columns + found(r, w) * tile + w];
  });
  expect(where, &row, [&](int, int r, int, int w) { return found(r, w); });
}

// One-hot rows: a sequence in each lane compared with the lane's own number.
__KERNEL__ void one_hot(float *out, int32 *labels, int rows, int classes) {
  dim4 shape = {1, rows, 1, classes}, one = {1, rows, 1, 1};
  tensor<int32> label(one), number(shape);
  tensor<float> result(shape);
  dma::load(label, gtensor<int32>(one, GLOBAL, labels));
  arange_broadcast(number, rows, 0, 1, classes);
  tiu::eq(result, number, label, 1.0f);
  dma::store(gtensor<float>(shape, GLOBAL, out), result);
}
__TEST__ void one_hot_labels() {
  const int rows = 60, classes = 37;
  dim4 shape = {1, rows, 1, classes}, one = {1, rows, 1, 1};
  float *out = ppl::malloc<float>(&shape);
  int32 *labels = ppl::rand<int32>(&one, 0, classes - 1);
  one_hot(out, labels, rows, classes);
  expect(out, &shape,
         [&](int, int r, int, int w) { return labels[r] == w ? 1 : 0; });
}

// Elements that a mask keeps, packed, and the positions of what is not 0.
__KERNEL__ void keep_marked(float *out, uint32 *count, float *in, uint8 *mask,
                            int n) {
  dim4 shape = {1, 1, 1, n}, one = {1, 1, 1, 1};
  gtensor<float> from(shape, GLOBAL, in), to(shape, GLOBAL, out);
  gtensor<uint8> marks(shape, GLOBAL, mask);
  dma::zero(to);
  auto kept = dma::mask_select(to, from, marks);
  dma::move(gtensor<uint32>(one, GLOBAL, count), kept.tensor());
}
__TEST__ void keep_marked_elements() {
  const int n = 500;
  dim4 shape = {1, 1, 1, n}, one = {1, 1, 1, 1};
  float *out = ppl::malloc<float>(&shape),
        *in = ppl::rand<float>(&shape, 1.0, 2.0);
  uint8 *mask = ppl::rand<uint8>(&shape, 0, 1);
  uint32 *count = ppl::malloc<uint32>(&one);
  keep_marked(out, count, in, mask, n);
  std::vector<float> kept;
  for (int i = 0; i < n; ++i)
    if (mask[i])
      kept.push_back(in[i]);
  double size = double(kept.size());
  kept.resize(n);
  expect(out, &shape, kept);
  expect(count, &one, [&](int64_t) { return size; });
}
