//===- top_k.cpp - the largest elements of rows, and where they stand -----===//
//
// values [rows, k] and indices [rows, k] of in [rows, columns], the largest (or
// smallest) first, of equal ones that with the smaller index first.
//
//===----------------------------------------------------------------------===//

#include "bitonic.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace ppl;

/// Of two lists of a length, one falling and one rising, the first elements of
/// both together; they rise and fall.
static Lists better(const Lists &a, const Lists &b) {
  Lists out = makeLists(a.lanes, a.length, a.rows, a.width);
  auto first = goesFirst(b.keys, a.keys, b.indices, a.indices);
  dim4 shape = first.getShape();
  tensor<int32> both(shape), change(shape);
  tiu::bitwise_xor(both, a.indices, b.indices);
  tiu::bitwise_and(change, both, first);
  tiu::bitwise_xor(out.indices, a.indices, change);
  tiu::max(out.keys, a.keys, b.keys);
  return out;
}

/// Columns [from, from + width) of the lists.
static Lists columns(const Lists &in, int from, int width) {
  Lists out = makeLists(in.lanes, in.length, in.rows, width);
  dim4 shape = {1, in.lanes, in.length * in.rows, width};
  tiu::move(out.keys, in.keys.sub_view(shape, {0, 0, 0, from}));
  tiu::move(out.indices, in.indices.sub_view(shape, {0, 0, 0, from}));
  return out;
}
/// The lists from their last rank to their first: halves change places, then
/// halves of halves.
static Lists reversed(const Lists &in, int stride) {
  if (!stride)
    return in;
  Lists out = makeLists(in.lanes, in.length, in.rows, in.width);
  int s = stride * in.rank();
  auto half = [&](const tensor<int32> &x, bool second) {
    return pieces(x, in, second ? s : 0, 1, in.size(), in.size() / (2 * s),
                  2 * s, s);
  };
  for (bool second : {false, true}) {
    tiu::move(half(out.keys, second), half(in.keys, !second));
    tiu::move(half(out.indices, second), half(in.indices, !second));
  }
  return reversed(out, stride / 2);
}
/// All lists of a row in one, half of them at a time.
static Lists joined(const Lists &l) {
  if (l.width == 1)
    return l;
  int half = l.width / 2, stride = l.length / 2;
  return joined(clean(
      better(columns(l, 0, half), reversed(columns(l, half, half), stride)),
      l.length, stride));
}

namespace {
/// A tile of rows, at most as many as lanes. Row r has the lanes r * parts to
/// (r + 1) * parts - 1, each of which takes `length` * `width` elements of
/// a block of the row that lie together.
template <class T>
class Tile {
public:
  Tile(gtensor<T> &in, int row, int rows, int columns, int length, int width)
      : in(in), row(row), columns(columns), length(length), width(width),
        rows(rows) {
    for (parts = 1;
         2 * parts * rows <= LANE_NUM && parts * length * width < columns;)
      parts *= 2;
  }
  int lanes() const { return rows * parts; }
  int inLane() const { return length * width; }
  int block() const { return parts * inLane(); }

  /// The index in its row of each element of block 0.
  tensor<int32> firstIndices() const {
    tensor<int32> inside({1, lanes(), 1, inLane()}), row({1, 1, 1, lanes()}),
        lane({1, lanes(), 1, 1}), part({1, lanes(), 1, 1}),
        start({1, lanes(), 1, 1}), all({1, lanes(), 1, inLane()});
    arange_broadcast(inside, lanes(), 0, 1, inLane());
    arange_broadcast(row, 1, 0, 1, lanes());
    tiu::transpose_wc(lane, row);
    tiu::bitwise_and(part, lane, parts - 1);
    tiu::mul(start, part, inLane(), 0, RM_DOWN, false);
    tiu::add(all, inside, start, 0, RM_DOWN, false);
    return all;
  }

  /// Block `b` as unsorted lists. What lies behind the end of the row has the
  /// smallest key and indices that are too large.
  Lists load(int b, const tensor<int32> &indices, bool largest) {
    dim4 flat = {1, lanes(), 1, inLane()};
    tensor<T> x(flat);
    int from = b * block(), count = min(block(), columns - from);
    if (count < block())
      tiu::fill(x, 0);
    for (int r = 0; r < (parts == 1 ? 1 : rows); ++r)
      loadRow(x, r, from, count);
    tensor<float> wide(flat);
    tiu::cast(wide, x);
    Lists l = makeLists(lanes(), length, 1, width);
    auto keys = ordered(wide.template view<int32>(), largest ? 0 : -1);
    tiu::add(l.indices.view(flat), indices, from, 0, RM_DOWN, false);
    if (count == block()) {
      tiu::move(l.keys.view(flat), keys);
      return l;
    }
    // all ones where the row has ended: a key of 0x80000000.
    tensor<int32> behind(flat), kept(flat), inside(flat), least(flat);
    tiu::gt(behind, l.indices.view(flat), columns - 1, -1);
    tiu::bitwise_xor(inside, behind, -1);
    tiu::bitwise_and(kept, keys, inside);
    tiu::bitwise_and(least, behind, int(0x80000000u));
    tiu::bitwise_or(l.keys.view(flat), kept, least);
    return l;
  }

private:
  /// One row, or, where each has a lane, all.
  void loadRow(tensor<T> &x, int r, int from, int count) {
    int whole = count / inLane(), rest = count % inLane();
    if (parts == 1) {
      dim4 part = {1, rows, 1, count};
      dma::load(x.sub_view(part, {0, 0, 0, 0}),
                in.sub_view(part, {0, row, 0, from}));
      return;
    }
    if (whole)
      dma::load(x.sub_view({1, whole, 1, inLane()}, {0, r * parts, 0, 0}),
                in.sub_view({1, 1, 1, whole * inLane()}, {0, row + r, 0, from})
                    .view({1, whole, 1, inLane()}));
    if (rest)
      dma::load(x.sub_view({1, 1, 1, rest}, {0, r * parts + whole, 0, 0}),
                in.sub_view({1, 1, 1, rest},
                            {0, row + r, 0, from + whole * inLane()}));
  }

  gtensor<T> &in;
  int row, columns, length, width;

public:
  int rows, parts;
};
} // namespace

/// The best of the first `blocks` blocks in each column of each lane.
template <class T>
static Lists bestOf(Tile<T> &tile, const tensor<int32> &at, int blocks,
                    bool largest) {
  if (blocks == 1)
    return sort(tile.load(0, at, largest), true);
  auto before = bestOf(tile, at, blocks - 1, largest);
  auto next = sort(tile.load(blocks - 1, at, largest), false);
  return clean(better(before, next), next.length, next.length / 2);
}

/// The lists of all lanes in one lane, then each row in a lane of its own.
template <class T>
static Lists gathered(const Tile<T> &tile, const Lists &l) {
  if (tile.parts == 1)
    return l;
  return turned(joined(turned(l, 1, tile.rows, tile.parts)), tile.rows, 1, 1);
}

/// The best `length` of a row, which is k or the next power of two. Each column
/// of a lane is a list; of two lists of `length` the better half stays.
template <class T>
static void topTile(gtensor<T> &values, gtensor<int32> &indices, gtensor<T> &in,
                    int row, int rows, int columns, int k, int length,
                    int width, bool largest) {
  Tile<T> tile(in, row, rows, columns, length, width);
  auto at = tile.firstIndices();
  Lists best = gathered(
      tile, joined(bestOf(tile, at, div_up(columns, tile.block()), largest)));
  dim4 flat = {1, rows, 1, length}, result = {1, rows, 1, k},
       to = {0, row, 0, 0}, first = {0, 0, 0, 0};
  tensor<int32> keys(flat);
  tiu::bitwise_xor(keys, best.keys.view(flat), largest ? 0 : -1);
  auto bits = ordered(keys, 0);
  tensor<T> best16(flat);
  tiu::cast(best16, bits.template view<float>());
  dma::store(values.sub_view(result, to), best16.sub_view(result, first));
  dma::store(indices.sub_view(result, to),
             best.indices.view(flat).sub_view(result, first));
}

template <class T>
static void top(T *values, int32 *indices, T *in, int rows, int columns, int k,
                bool largest) {
  assert(k >= 1 && k <= columns);
  dim4 all = {1, rows, 1, columns}, some = {1, rows, 1, k};
  gtensor<T> from(all, GLOBAL, in), to(some, GLOBAL, values);
  gtensor<int32> places(some, GLOBAL, indices);
  int length = 2, width = get_eu_num<int32>(), code;
  while (length < k)
    length *= 2;
  // Lists of a large k need more memory than 16 of them have.
  while ((code = attempt([&] {
            for (int row = 0; row < rows; row += LANE_NUM)
              topTile(to, places, from, row, min(LANE_NUM, rows - row), columns,
                      k, length, width, largest);
          })) &&
         width > 1)
    width /= 2;
  assert(code == 0);
}

__KERNEL__ void top_k_fp32(float *values, int32 *indices, float *in, int rows,
                           int columns, int k, bool largest) {
  top(values, indices, in, rows, columns, k, largest);
}
__KERNEL__ void top_k_fp16(fp16 *values, int32 *indices, fp16 *in, int rows,
                           int columns, int k, bool largest) {
  top(values, indices, in, rows, columns, k, largest);
}

/// Exact, so that nothing is tolerated. `steps` distinct numbers make ties.
template <class T, class Kernel>
static void check(Kernel kernel, int rows, int columns, int k, bool largest,
                  int steps) {
  dim4 shape = {1, rows, 1, columns}, best = {1, rows, 1, k};
  T *values = ppl::malloc<T>(&best), *in = ppl::rand<T>(&shape, -1.0, 1.0);
  int32 *indices = ppl::malloc<int32>(&best);
  for (int i = 0; steps && i < rows * columns; ++i)
    in[i] = T(std::floor(float(in[i]) * float(steps)));
  kernel(values, indices, in, rows, columns, k, largest);
  std::vector<int> order(size_t(rows) * columns);
  for (int r = 0; r < rows; ++r) {
    auto begin = order.begin() + r * columns;
    for (int i = 0; i < columns; ++i)
      begin[i] = i;
    std::stable_sort(begin, begin + columns, [&](int a, int b) {
      float x = float(in[r * columns + a]), y = float(in[r * columns + b]);
      return largest ? x > y : x < y;
    });
  }
  expect(indices, &best,
         [&](int, int r, int, int j) { return order[r * columns + j]; });
  expect(values, &best, [&](int, int r, int, int j) {
    return float(in[r * columns + order[r * columns + j]]);
  });
}

__TEST__ void top_k_4x16000() {
  check<float>(top_k_fp32, 4, 16000, 50, true, 0);
}
__TEST__ void top_k_ties() { check<float>(top_k_fp32, 3, 1001, 37, true, 5); }
__TEST__ void top_k_smallest() {
  check<float>(top_k_fp32, 5, 700, 9, false, 40);
}
__TEST__ void top_k_many_rows() {
  check<fp16>(top_k_fp16, 70, 333, 5, true, 0);
}
__TEST__ void top_k_one() { check<float>(top_k_fp32, 1, 5000, 1, true, 0); }
__TEST__ void top_k_all() { check<float>(top_k_fp32, 2, 100, 100, true, 30); }
__TEST__ void top_k_short() { check<float>(top_k_fp32, 7, 3, 2, false, 0); }
__TEST__ void top_k_long_row() {
  check<float>(top_k_fp32, 1, 100003, 20, true, 900);
}
__TEST__ void top_k_large() {
  check<float>(top_k_fp32, 2, 3000, 1100, true, 200);
}
// From the largest to the smallest, as integers and as IEEE 754's total order
// have them: each is found where it was hidden.
__TEST__ void top_k_special() {
  const int columns = 500, k = 9;
  dim4 shape = {1, 1, 1, columns}, best = {1, 1, 1, k};
  float *values = ppl::malloc<float>(&best),
        *in = ppl::rand<float>(&shape, -9.0, -8.0);
  int32 *indices = ppl::malloc<int32>(&best);
  const float falling[k] = {NAN,  INFINITY, 3.0e38f, 1.0f, 1e-40f,
                            0.0f, -0.0f,    -1e-40f, -1.0f};
  auto hidden = [](int rank) { return (rank * 211 + 17) % columns; };
  for (int rank = 0; rank < k; ++rank)
    in[hidden(rank)] = falling[rank];
  top_k_fp32(values, indices, in, 1, columns, k, true);
  expect(indices, &best, [&](int64_t i) { return hidden(int(i)); });
}
