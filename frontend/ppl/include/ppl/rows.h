//===- rows.h - tiles of rows, computed in fp32 ------------------*- C++
//-*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_ROWS_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_ROWS_H

#include "ppl/ppl.h"

namespace ppl {

/// The `part` of `from` at `at`, in fp32; the tiles of a loop have room for
/// `block` (make_tensor).
template <class T>
tensor<float> load_as_float(const gtensor<T> &from, const dim4 &block,
                            const dim4 &part, const dim4 &at) {
  auto loaded = make_tensor<T>(block, part);
  dma::load(loaded, from.sub_view(part, at));
  auto x = make_tensor<float>(block, part);
  tiu::cast(x, loaded);
  return x;
}

/// `columns` values of the vector [1, 1, 1, w] from `at` on in every lane, in
/// fp32.
template <class T>
tensor<float> broadcast_as_float(const gtensor<T> &vector, int columns,
                                 int at) {
  dim4 lanes = {1, LANE_NUM, 1, columns}, piece = {1, 1, 1, columns};
  tensor<T> loaded(lanes);
  dma::load_broadcast(loaded, vector.sub_view(piece, {0, 0, 0, at}));
  tensor<float> wide(lanes);
  tiu::cast(wide, loaded);
  return wide;
}

/// Rows of a matrix [1, rows, 1, columns], or pieces of them, in local memory
/// as `part`: along c, one in a lane; or `spread`, along n, each from lane 0 on
/// with part.w columns in a lane. The last lane may have less, `rest`, if not
/// 0.
struct RowTile {
  bool spread;
  int row, from;    // the first
  int count, rest;  // columns; those in a last lane that is not full
  dim4 block, part; // room for the tiles of a loop, and this one

  /// What a row has one of, such as its sum, is in all lanes that rows of the
  /// loop may be in.
  dim4 one() const { return {part.n, spread ? LANE_NUM : part.c, 1, 1}; }
  dim4 oneBlock() const { return {block.n, spread ? LANE_NUM : block.c, 1, 1}; }
  tensor<float> make_one() const {
    return make_tensor<float>(oneBlock(), one());
  }
  tensor<float> make() const { return make_tensor<float>(block, part); }
  /// `values`, one of a row, beside the elements of this tile.
  tensor<float> beside(const tensor<float> &values) const {
    return values.sub_view({part.n, part.c, 1, 1}, {0, 0, 0, 0});
  }
  /// The same of load_columns, maybe of a tile with more rows.
  tensor<float> columns_of(const tensor<float> &vector) const {
    int n = vector.getShape().n;
    return vector.sub_view({n, part.c, 1, part.w}, {0, 0, 0, 0});
  }
};

/// Tiles of `rows` rows and `columns` columns; a lane takes `least` columns or
/// more.
struct RowTiling {
  bool spread;
  int rows, columns, least;

  RowTile tile(int row, int rowEnd, int from, int columnEnd) const {
    int some = min(rows, rowEnd - row), count = min(columns, columnEnd - from);
    dim4 block = {1, rows, 1, columns}, part = {1, some, 1, count};
    if (!spread)
      return {spread, row, from, count, 0, block, part};
    block = {rows, LANE_NUM, 1, laneColumns(columns)};
    int w = laneColumns(count);
    part = {some, div_up(count, w), 1, w};
    return {spread, row, from, count, count % w, block, part};
  }
  /// Whole rows of the engine, so that only the last lane is filled up.
  int laneColumns(int columns) const {
    int some = max(div_up(columns, LANE_NUM), min(columns, least));
    return align(some, get_eu_num<float>());
  }
};

namespace detail {
/// Calls move(local, global) for the parts of a tile that one command can take:
/// the lanes that are full, and the last.
template <class T, class Move>
void forRowParts(const RowTile &t, const tensor<T> &local,
                 const gtensor<T> &matrix, Move move) {
  const dim4 &p = t.part;
  if (!t.spread)
    return move(local, matrix.sub_view(p, {0, t.row, 0, t.from}));
  auto lanes = [&](int first, int count, int w) {
    dim4 part = {p.n, count, 1, w}, step = {matrix.getShape().w, p.w, p.w, 1};
    auto rows = matrix.sub_view({1, p.n, 1, count * w},
                                {0, t.row, 0, t.from + first * p.w});
    move(local.sub_view(part, {0, first, 0, 0}), rows.view(part, step));
  };
  int full = t.rest > 0 ? p.c - 1 : p.c;
  if (full > 0)
    lanes(0, full, p.w);
  if (t.rest > 0)
    lanes(full, 1, t.rest);
}
} // namespace detail

/// `fill` to what the last lane has behind its columns.
inline void fill_rest(const RowTile &t, const tensor<float> &x, float fill) {
  if (t.rest > 0)
    tiu::fill(x.sub_view({t.part.n, 1, 1, t.part.w - t.rest},
                         {0, t.part.c - 1, 0, t.rest}),
              fill);
}

/// The tile of `matrix` [1, rows, 1, columns], in fp32, and `fill` behind it.
template <class T>
tensor<float> load_rows(const RowTile &t, const gtensor<T> &matrix,
                        float fill) {
  auto loaded = make_tensor<T>(t.block, t.part);
  detail::forRowParts(t, loaded, matrix, [](auto local, auto global) {
    dma::load(local, global);
  });
  auto x = t.make();
  tiu::cast(x, loaded);
  fill_rest(t, x, fill);
  return x;
}

template <class T>
void store_rows(const RowTile &t, const gtensor<T> &matrix,
                const tensor<float> &y) {
  auto result = make_tensor<T>(t.block, t.part);
  tiu::cast(result, y);
  detail::forRowParts(t, result, matrix, [](auto local, auto global) {
    dma::store(global, local);
  });
}

/// The columns of the tile of a vector [1, 1, 1, columns] that all rows share,
/// in fp32.
template <class T>
tensor<float> load_columns(const RowTile &t, const gtensor<T> &vector) {
  if (!t.spread)
    return broadcast_as_float(vector, t.count, t.from);
  RowTile one = t;
  one.block.n = one.part.n = 1;
  one.row = 0;
  return load_rows(one, vector, 0.0f);
}

/// The maximum of each row (`mode` 0) or its sum times `scale` (1), in every
/// lane of it. As quick_pooling, which it is made of, it writes `fill` behind
/// the columns of x.
inline tensor<float> pool_rows(const RowTile &t, const tensor<float> &x,
                               float fill, int mode, float scale = 1.0f) {
  auto result = t.make_one();
  if (!t.spread) {
    quick_pooling(result, x, &t.block, &t.part, fill, mode, scale);
    return result;
  }
  int n = t.block.n, some = t.part.n, lanes = t.part.c;
  auto own = make_tensor<float>({n, LANE_NUM, 1, 1}, {some, lanes, 1, 1});
  quick_pooling(own, x, &t.block, &t.part, fill, mode, scale);
  dim4 lineBlock = {n, 1, 1, LANE_NUM}, line = {some, 1, 1, lanes};
  auto row = make_tensor<float>(lineBlock, line);
  tiu::transpose_wc(row, own);
  auto joined = make_tensor<float>({n, 1, 1, 1}, {some, 1, 1, 1});
  quick_pooling(joined, row, &lineBlock, &line, fill, mode);
  tiu::broadcast(result, joined);
  return result;
}

namespace detail {
/// About the cycles that tiles of whole rows take, to compare the two ways.
/// `commands` is the TIU's time: a cycle a column of a lane, which is between
/// that of the norms and of softmax, and for spread rows kJoin to join what the
/// lanes of one have. DRAM moves about 50 bytes a cycle. Only a few tiles do
/// not overlap.
template <class T>
int64_t rowCycles(const RowTiling &t, int rows, int columns) {
  constexpr int kJoin = 100, kOverlap = 3;
  int64_t tiles = div_up(rows, t.rows), commands = tiles * columns,
          transfers = int64_t(2) * rows * columns * int(sizeof(T)) / 50;
  if (t.spread)
    commands = int64_t(rows) * (t.laneColumns(columns) + kJoin);
  return tiles < kOverlap ? commands + transfers : max(commands, transfers);
}
} // namespace detail

/// Makes `whole` with tiles of whole rows, or if rows do not fit, `pieces` with
/// the widest pieces that do. What `attempt` gave last. A row takes a lane, or,
/// if that takes longer or does not fit, all of them.
template <class T, class Whole, class Pieces>
int attempt_rows(int rows, int columns, Whole &&whole, Pieces &&pieces) {
  // DRAM moves runs of less than 256 bytes no faster than 256.
  const int least = 256 / int(sizeof(T));
  RowTiling lanes = {false, min(rows, LANE_NUM), columns, least};
  // At least four tiles, of which loads and results overlap, unless they are so
  // small that there is nothing to hide.
  RowTiling t = {true,
                 min(rows, max(div_up(rows, 4), div_up(1 << 14, columns))),
                 columns, least};
  if (detail::rowCycles<T>(lanes, rows, columns) <=
          detail::rowCycles<T>(t, rows, columns) &&
      attempt([&] { whole(lanes); }) == 0)
    return 0;
  int code = attempt([&] { whole(t); });
  while (code && t.rows > 1) {
    t.rows = div_up(t.rows, 2);
    code = attempt([&] { whole(t); });
  }
  while (code && t.laneColumns(t.columns) > least) {
    t.columns = div_up(t.columns, 2);
    code = attempt([&] { pieces(t); });
  }
  return code;
}

} // namespace ppl

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_ROWS_H
