//===- sort.cpp - whole rows in order, and where elements were ------------===//
//
// values and indices [rows, columns] of in [rows, columns], falling or rising,
// of equal elements that with the smaller index first.
//
//===----------------------------------------------------------------------===//

#include "../top_k/bitonic.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace ppl;

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
template <class T>
static Lists loadRows(gtensor<T> &in, int row, int columns, const Shape &s,
                      const tensor<int32> &part, bool falling) {
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
  tensor<float> wide(s.flat());
  tiu::cast(wide, x);
  auto keys = ordered(wide.template view<int32>(), falling ? 0 : -1);
  dim4 one = {1, s.lanes(), 1, 1};
  tensor<int32> inside(s.flat()), start(one);
  arange_broadcast(inside, s.lanes(), 0, 1, s.length);
  tiu::mul(start, part, s.length, 0, RM_DOWN, false);
  Lists l = makeLists(s.lanes(), s.length, 1, 1);
  tiu::add(l.indices.view(s.flat()), inside, start, 0, RM_DOWN, false);
  tensor<int32> behind(s.flat()), there(s.flat()), kept(s.flat()),
      least(s.flat());
  tiu::gt(behind, l.indices.view(s.flat()), columns - 1, -1);
  tiu::bitwise_xor(there, behind, -1);
  tiu::bitwise_and(kept, keys, there);
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

template <class T>
static void sortTile(gtensor<T> &values, gtensor<int32> &indices,
                     gtensor<T> &in, int row, int columns, const Shape &s,
                     bool falling) {
  auto part = partNumbers(s);
  Lists l = loadRows(in, row, columns, s, part, falling);
  // Lanes fall and rise by turns, so that two of them are a run that does both.
  int first = s.parts > 1 ? 1 : 0;
  Lists lanes = sort(turnedRound(l, part, first), true);
  Lists sorted = mergeLanes(lanes, s, part, 2, first);
  tensor<int32> keys(s.flat());
  tiu::bitwise_xor(keys, sorted.keys.view(s.flat()), falling ? 0 : -1);
  auto bits = ordered(keys, 0);
  tensor<T> result(s.flat());
  tiu::cast(result, bits.template view<float>());
  storeRows(values, result, row, columns, s);
  storeRows(indices, sorted.indices.view(s.flat()), row, columns, s);
}

template <class T>
static void sortRows(T *values, int32 *indices, T *in, int rows, int columns,
                     bool falling) {
  dim4 all = {1, rows, 1, columns};
  gtensor<T> from(all, GLOBAL, in), to(all, GLOBAL, values);
  gtensor<int32> places(all, GLOBAL, indices);
  // As many lanes a row as there are for each, with 64 elements or more.
  auto fits = [&](const Shape &s) {
    return attempt([&] {
      for (int row = 0; row < rows; row += s.rows) {
        Shape tile = {min(s.rows, rows - row), s.parts, s.length};
        sortTile(to, places, from, row, columns, tile, falling);
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
  assert(code == 0);
}

__KERNEL__ void sort_fp32(float *values, int32 *indices, float *in, int rows,
                          int columns, bool falling) {
  sortRows(values, indices, in, rows, columns, falling);
}
__KERNEL__ void sort_fp16(fp16 *values, int32 *indices, fp16 *in, int rows,
                          int columns, bool falling) {
  sortRows(values, indices, in, rows, columns, falling);
}

/// Exact, so that nothing is tolerated. `steps` distinct numbers make ties.
template <class T, class Kernel>
static void check(Kernel kernel, int rows, int columns, bool falling,
                  int steps) {
  dim4 shape = {1, rows, 1, columns};
  T *values = ppl::malloc<T>(&shape), *in = ppl::rand<T>(&shape, -1.0, 1.0);
  int32 *indices = ppl::malloc<int32>(&shape);
  for (int i = 0; steps && i < rows * columns; ++i)
    in[i] = T(std::floor(float(in[i]) * float(steps)));
  kernel(values, indices, in, rows, columns, falling);
  std::vector<int> order(size_t(rows) * columns);
  for (int r = 0; r < rows; ++r) {
    auto begin = order.begin() + r * columns;
    for (int i = 0; i < columns; ++i)
      begin[i] = i;
    std::stable_sort(begin, begin + columns, [&](int a, int b) {
      float x = float(in[r * columns + a]), y = float(in[r * columns + b]);
      return falling ? x > y : x < y;
    });
  }
  expect(indices, &shape,
         [&](int, int r, int, int j) { return order[r * columns + j]; });
  expect(values, &shape, [&](int, int r, int, int j) {
    return float(in[r * columns + order[r * columns + j]]);
  });
}

__TEST__ void sort_4x16000() { check<float>(sort_fp32, 4, 16000, true, 0); }
__TEST__ void sort_ties() { check<float>(sort_fp32, 3, 1001, true, 7); }
__TEST__ void sort_rising() { check<fp16>(sort_fp16, 5, 700, false, 40); }
__TEST__ void sort_many_rows() { check<float>(sort_fp32, 70, 133, true, 0); }
__TEST__ void sort_short() { check<float>(sort_fp32, 3, 2, false, 0); }
__TEST__ void sort_one() { check<float>(sort_fp32, 2, 1, true, 0); }
__TEST__ void sort_long_row() {
  check<float>(sort_fp32, 1, 100003, true, 9000);
}
