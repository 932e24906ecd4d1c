//===- top_k.h - the largest elements of rows by a network ------*- C++ -*-===//

#ifndef WEFT_EXAMPLES_KERNELS_TOP_K_TOP_K_H
#define WEFT_EXAMPLES_KERNELS_TOP_K_TOP_K_H

#include "ppl/bitonic.h"

using namespace ppl;
using namespace ppl::bitonic;

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
  template <class Order>
  Lists load(int b, const tensor<int32> &indices, const Order &order) {
    dim4 flat = {1, lanes(), 1, inLane()};
    tensor<T> x(flat);
    int from = b * block(), count = min(block(), columns - from);
    if (count < block())
      tiu::fill(x, 0);
    for (int r = 0; r < (parts == 1 ? 1 : rows); ++r)
      loadRow(x, r, from, count);
    Lists l = makeLists(lanes(), length, 1, width);
    auto tags = l.indices.view(flat);
    tiu::add(tags, indices, from, 0, RM_DOWN, false);
    if (count == block()) {
      tiu::move(l.keys.view(flat), order.keys(x, tags));
      return l;
    }
    // all ones where the row has ended: a key of 0x80000000.
    tensor<int32> behind(flat), kept(flat), inside(flat), least(flat);
    tiu::gt(behind, tags, columns - 1, -1);
    tiu::bitwise_xor(inside, behind, -1);
    tiu::bitwise_and(kept, order.keys(x, tags), inside);
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
template <class T, class Order>
static Lists bestOf(Tile<T> &tile, const tensor<int32> &at, int blocks,
                    const Order &order) {
  if (blocks == 1)
    return sort(tile.load(0, at, order), true);
  auto before = bestOf(tile, at, blocks - 1, order);
  auto next = sort(tile.load(blocks - 1, at, order), false);
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
template <class T, class Order>
static void topTile(gtensor<T> &values, gtensor<int32> &indices, gtensor<T> &in,
                    int row, int rows, int columns, int k, int length,
                    int width, const Order &order) {
  Tile<T> tile(in, row, rows, columns, length, width);
  auto at = tile.firstIndices();
  Lists best = gathered(
      tile, joined(bestOf(tile, at, div_up(columns, tile.block()), order)));
  dim4 flat = {1, rows, 1, length}, result = {1, rows, 1, k},
       to = {0, row, 0, 0}, first = {0, 0, 0, 0};
  auto tags = best.indices.view(flat);
  auto elements = order.elements(best.keys.view(flat), tags);
  dma::store(values.sub_view(result, to), elements.sub_view(result, first));
  dma::store(indices.sub_view(result, to), tags.sub_view(result, first));
}

/// The `k` elements of each row of `in` that `order` puts first, and where they
/// stand. 0, or the code of the memory that is too small.
template <class T, class Order>
static int topRows(gtensor<T> &values, gtensor<int32> &indices, gtensor<T> &in,
                   int k, const Order &order) {
  int rows = in.getShape().c, columns = in.getShape().w;
  assert(k >= 1 && k <= columns);
  int length = 2, width = get_eu_num<int32>(), together = min(LANE_NUM, rows),
      code;
  while (length < k)
    length *= 2;
  // Lists of a large k need more memory than 16 of them have, and then than
  // several rows in the lanes have.
  while ((code = attempt([&] {
            for (int row = 0; row < rows; row += together)
              topTile(values, indices, in, row, min(together, rows - row),
                      columns, k, length, width, order);
          })) &&
         (width > 1 || together > 1)) {
    if (width > 1)
      width /= 2;
    else
      together = div_up(together, 2);
  }
  return code;
}

#endif // WEFT_EXAMPLES_KERNELS_TOP_K_TOP_K_H
