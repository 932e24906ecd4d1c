//===- sort.h - whole rows in order by a network ----------------*- C++ -*-===//

#ifndef WEFT_EXAMPLES_KERNELS_SORT_SORT_H
#define WEFT_EXAMPLES_KERNELS_SORT_SORT_H

#include "ppl/bitonic.h"

using namespace ppl;
using namespace ppl::bitonic;

namespace {
/// A tile of rows, each in `parts` lanes, `length` elements in each: element i
/// of row r is in lane r * parts + i / length. Both are powers of two.
struct Shape {
  int rows, parts, length;
  int lanes() const { return rows * parts; }
  dim4 flat() const { return {1, lanes(), 1, length}; }
};
} // namespace

/// The number of its lane within the row, in each lane.
static tensor<int32> partNumbers(const Shape &s) {
  tensor<int32> row({1, 1, 1, s.lanes()}), lane({1, s.lanes(), 1, 1}),
      part({1, s.lanes(), 1, 1});
  arange_broadcast(row, 1, 0, 1, s.lanes());
  tiu::transpose_wc(lane, row);
  tiu::bitwise_and(part, lane, s.parts - 1);
  return part;
}

/// Turns the order round in lanes whose number has a bit of `bits` set,
/// an odd number of them: the complements of key and index fall where they
/// rose. So all lanes of a stage do the same.
static Lists turnedRound(const Lists &l, const tensor<int32> &part, int bits) {
  if (!bits)
    return l;
  dim4 one = {1, l.lanes, 1, 1}, flat = {1, l.lanes, 1, l.size()};
  tensor<int32> masked(one), some(one), all(one), mask(one);
  tiu::bitwise_and(masked, part, bits);
  tiu::eq(some, masked, 0, -1);
  tiu::eq(all, masked, bits, -1);
  // One bit, or two that have to differ.
  if (bits & (bits - 1)) {
    tiu::bitwise_or(mask, some, all);
    tiu::bitwise_xor(mask, mask, -1);
  } else {
    tiu::move(mask, all);
  }
  Lists out = makeLists(l.lanes, l.length, l.rows, l.width);
  tiu::bitwise_xor(out.keys.view(flat), l.keys.view(flat), mask);
  tiu::bitwise_xor(out.indices.view(flat), l.indices.view(flat), mask);
  return out;
}

/// The stages of a run over `span` lanes that compare lanes: with lanes and
/// columns exchanged, partners are columns.
static Lists acrossLanes(const Lists &l, const Shape &s, int span) {
  int width = min(LANE_NUM, s.length), lines = s.length / width;
  auto turn = [](const Lists &in, const dim4 &from, const dim4 &to) {
    int size = to.h * to.w;
    Lists out = makeLists(to.c, size, 1, 1);
    tiu::transpose_wc(out.keys.view(to), in.keys.view(from));
    tiu::transpose_wc(out.indices.view(to), in.indices.view(from));
    return out;
  };
  dim4 inLanes = {1, s.lanes(), lines, width},
       inColumns = {1, width, lines, s.lanes()};
  Lists columns = turn(l, inLanes, inColumns);
  // One run over all: the order was turned round where it has to rise.
  return turn(clean(columns, columns.length, span / 2), inColumns, inLanes);
}

/// Runs over `span` lanes, made of two of half as many, and so on up to a row.
/// `before` is the bit of the lanes that are turned round.
static Lists mergeLanes(const Lists &l, const Shape &s,
                        const tensor<int32> &part, int span, int before) {
  if (span > s.parts)
    return l;
  int after = span == s.parts ? 0 : span;
  Lists ready = turnedRound(l, part, before ^ after);
  Lists merged = clean(acrossLanes(ready, s, span), s.length, s.length / 2);
  return mergeLanes(merged, s, part, 2 * span, after);
}

/// Rows as keys and indices. What lies behind the end of a row is
/// smaller than all, and has indices that are too large.
template <class T, class Order>
static Lists loadRows(gtensor<T> &in, int row, int columns, const Shape &s,
                      const tensor<int32> &part, const Order &order) {
  tensor<T> x(s.flat());
  tiu::fill(x, 0);
  int whole = columns / s.length, rest = columns % s.length;
  for (int r = 0; r < s.rows; ++r) {
    int lane = r * s.parts;
    dim4 run = {1, 1, 1, whole * s.length}, many = {1, whole, 1, s.length},
         tail = {1, 1, 1, rest};
    if (whole)
      dma::load(x.sub_view(many, {0, lane, 0, 0}),
                in.sub_view(run, {0, row + r, 0, 0}).view(many));
    if (rest)
      dma::load(x.sub_view(tail, {0, lane + whole, 0, 0}),
                in.sub_view(tail, {0, row + r, 0, whole * s.length}));
  }
  dim4 one = {1, s.lanes(), 1, 1};
  tensor<int32> inside(s.flat()), start(one);
  arange_broadcast(inside, s.lanes(), 0, 1, s.length);
  tiu::mul(start, part, s.length, 0, RM_DOWN, false);
  Lists l = makeLists(s.lanes(), s.length, 1, 1);
  auto tags = l.indices.view(s.flat());
  tiu::add(tags, inside, start, 0, RM_DOWN, false);
  tensor<int32> behind(s.flat()), there(s.flat()), kept(s.flat()),
      least(s.flat());
  tiu::gt(behind, tags, columns - 1, -1);
  tiu::bitwise_xor(there, behind, -1);
  tiu::bitwise_and(kept, order.keys(x, tags), there);
  tiu::bitwise_and(least, behind, int(0x80000000u));
  tiu::bitwise_or(l.keys.view(s.flat()), kept, least);
  return l;
}

template <class T>
static void storeRows(gtensor<T> &to, tensor<T> x, int row, int columns,
                      const Shape &s) {
  int whole = columns / s.length, rest = columns % s.length;
  for (int r = 0; r < s.rows; ++r) {
    int lane = r * s.parts;
    dim4 run = {1, 1, 1, whole * s.length}, many = {1, whole, 1, s.length},
         tail = {1, 1, 1, rest};
    if (whole)
      dma::store(to.sub_view(run, {0, row + r, 0, 0}).view(many),
                 x.sub_view(many, {0, lane, 0, 0}));
    if (rest)
      dma::store(to.sub_view(tail, {0, row + r, 0, whole * s.length}),
                 x.sub_view(tail, {0, lane + whole, 0, 0}));
  }
}

/// Stores the first `k` of each row.
template <class T, class Order>
static void sortTile(gtensor<T> &values, gtensor<int32> &indices,
                     gtensor<T> &in, int row, int columns, int k,
                     const Shape &s, const Order &order) {
  auto part = partNumbers(s);
  Lists l = loadRows(in, row, columns, s, part, order);
  // Lanes fall and rise by turns, so that two of them are a run that does both.
  int first = s.parts > 1 ? 1 : 0;
  Lists lanes = sort(turnedRound(l, part, first), true);
  Lists sorted = mergeLanes(lanes, s, part, 2, first);
  auto tags = sorted.indices.view(s.flat());
  storeRows(values, order.elements(sorted.keys.view(s.flat()), tags), row, k,
            s);
  storeRows(indices, tags, row, k, s);
}

/// The rows of `in` as `order` has them, the first `k` of each, and where the
/// elements stood. 0, or the code of the memory that is too small.
template <class T, class Order>
static int sortRows(gtensor<T> &values, gtensor<int32> &indices, gtensor<T> &in,
                    int k, const Order &order) {
  int rows = in.getShape().c, columns = in.getShape().w;
  // As many lanes a row as there are for each, with 64 elements or more.
  auto fits = [&](const Shape &s) {
    return attempt([&] {
      for (int row = 0; row < rows; row += s.rows) {
        Shape tile = {min(s.rows, rows - row), s.parts, s.length};
        sortTile(values, indices, in, row, columns, k, tile, order);
      }
    });
  };
  Shape s = {1, 1, 2};
  auto covers = [&] { return s.parts * s.length >= columns; };
  while (!covers() && s.length < 64)
    s.length *= 2;
  while (!covers() && 2 * s.parts * rows <= LANE_NUM)
    s.parts *= 2;
  while (!covers())
    s.length *= 2;
  s.rows = min(rows, LANE_NUM / s.parts);
  int code;
  while ((code = fits(s)) && s.parts < LANE_NUM && s.length > 2) {
    s.parts *= 2;
    s.length /= 2;
    s.rows = min(rows, LANE_NUM / s.parts);
  }
  return code;
}

/// Rows of a tile that lie together, `many` in each lane, or `columns` of each.
/// Calls `copy` for the lanes that are full, and for the rest of the last one.
template <class T, class Copy>
static void copyTogether(tensor<T> x, gtensor<T> &memory, int row, int count,
                         int many, int columns, Copy copy) {
  int whole = count / many, rest = count % many;
  auto part = [&](int lane, int lanes, int rows) {
    dim4 run = {1, lanes, 1, rows * columns};
    copy(x.sub_view(run, {0, lane, 0, 0}),
         memory
             .sub_view({1, lanes * rows, 1, columns},
                       {0, row + lane * many, 0, 0})
             .view(run));
  };
  if (whole)
    part(0, whole, many);
  if (rest)
    part(whole, 1, rest);
}

/// Rank r of row q of a lane lies at q * length + r; at r * many + q, which is
/// where networks have it: their partners are runs of `many` elements.
template <class T>
static tensor<T> turnedRows(const tensor<T> &x, int lanes, int length, int many,
                            bool byRank) {
  dim4 shape = {1, lanes, length, many};
  dim4 rows = {length * many, length * many, 1, length};
  tensor<T> out({1, lanes, 1, length * many});
  if (byRank)
    tiu::move(out.view(shape), x.view(shape, rows));
  else
    tiu::move(out.view(shape, rows), x.view(shape));
  return out;
}

/// `count` rows, 2^log2Many in each lane.
template <class T, class Order>
static void shortTile(gtensor<T> &values, gtensor<int32> &indices,
                      gtensor<T> &in, int row, int count, int k, int length,
                      int log2Many, const Order &order) {
  int columns = in.getShape().w, many = 1 << log2Many,
      lanes = div_up(count, many);
  dim4 dense = {1, lanes, 1, columns * many},
       flat = {1, lanes, 1, length * many}, best = {1, lanes, 1, k * many},
       first = {0, 0, 0, 0};
  tensor<T> loaded(dense), x(flat);
  if (count % many)
    tiu::fill(loaded, 0);
  copyTogether(loaded, in, row, count, many, columns,
               [](auto to, auto from) { dma::load(to, from); });
  if (columns < length)
    tiu::fill(x, 0);
  tiu::move(x.sub_view(dense, first),
            turnedRows(loaded, lanes, columns, many, true));
  Lists l = makeLists(lanes, length, many, 1);
  auto tags = l.indices.view(flat);
  arange_broadcast(tags, lanes, 0, 1, length * many);
  tiu::shift(tags, tags, -log2Many, RM_DOWN);
  tensor<int32> behind(flat), there(flat), kept(flat), least(flat);
  tiu::gt(behind, tags, columns - 1, -1);
  tiu::bitwise_xor(there, behind, -1);
  tiu::bitwise_and(kept, order.keys(x, tags), there);
  tiu::bitwise_and(least, behind, int(0x80000000u));
  tiu::bitwise_or(l.keys.view(flat), kept, least);
  Lists sorted = sort(l, true);
  auto keys = sorted.keys.view(flat).sub_view(best, first),
       places = sorted.indices.view(flat).sub_view(best, first);
  auto elements = order.elements(keys, places);
  auto store = [](auto from, auto to) { dma::store(to, from); };
  copyTogether(turnedRows(elements, lanes, k, many, false), values, row, count,
               many, k, store);
  copyTogether(turnedRows(places, lanes, k, many, false), indices, row, count,
               many, k, store);
}

/// The same as sortRows for many rows of few columns: a lane has several.
template <class T, class Order>
static int sortShortRows(gtensor<T> &values, gtensor<int32> &indices,
                         gtensor<T> &in, int k, const Order &order) {
  int rows = in.getShape().c, length = 2, log2Many = 0, code;
  while (length < in.getShape().w)
    length *= 2;
  while (LANE_NUM << log2Many < rows)
    ++log2Many;
  auto fits = [&] {
    return attempt([&] {
      int tile = LANE_NUM << log2Many;
      for (int row = 0; row < rows; row += tile)
        shortTile(values, indices, in, row, min(tile, rows - row), k, length,
                  log2Many, order);
    });
  };
  while ((code = fits()) && log2Many > 0)
    --log2Many;
  return code;
}

#endif // WEFT_EXAMPLES_KERNELS_SORT_SORT_H
