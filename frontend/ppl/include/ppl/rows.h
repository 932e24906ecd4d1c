//===- rows.h - tiles of rows, computed in fp32 ----------------*- C++ -*-===//

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
  int row, from;    // of the matrix, the first that are in the tile
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

/// The tiles of a matrix [1, rows, 1, columns]: `tileRows` by `tileColumns`, or
/// what is left at an end. A lane has `least` columns of a spread row, if there
/// are as many, or more.
struct RowTiling {
  int rows, columns;
  bool spread = false;
  int tileRows = 1, tileColumns = 1, least = 1;

  /// That of rows from `row` on, columns from `from` on.
  RowTile tile(int row, int from = 0) const {
    int some = min(tileRows, rows - row),
        count = min(tileColumns, columns - from);
    dim4 block = {1, tileRows, 1, tileColumns}, part = {1, some, 1, count};
    if (!spread)
      return {false, row, from, count, 0, block, part};
    int w = laneColumns(count);
    block = {tileRows, LANE_NUM, 1, laneColumns(tileColumns)};
    part = {some, div_up(count, w), 1, w};
    return {true, row, from, count, count % w, block, part};
  }
  /// Whole rows of the engine, so that only the last lane is filled up.
  int laneColumns(int count) const {
    int some = max(div_up(count, LANE_NUM), min(count, least));
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

enum class Pool { Max = 0, Sum = 1 }; // the modes of quick_pooling

/// The maximum of each row or its sum times `scale`, in every lane of it. As
/// quick_pooling, which it is made of, it writes `fill` behind the columns of
/// x.
inline tensor<float> pool_rows(const RowTile &t, const tensor<float> &x,
                               float fill, Pool pool, float scale = 1.0f) {
  const int mode = int(pool);
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

/// What a kernel does with a tile: how often the TIU passes over all of it
/// (fp32, sums and maxima included), and how often it calls pool_rows.
struct RowWork {
  int passes, pools;
};

namespace detail {
/// TIU cycles of a tile.
inline int64_t tileCycles(const RowTiling &t, const RowWork &work, int rows) {
  // What a tile takes whatever its columns, and in a spread one every row:
  // kStart, kPool for each call of pool_rows and, to join lanes, kJoin more.
  // Fitted to the profiles that the cycle model gives of softmax, layer and rms
  // norm, 64 to 16000 columns: 47 to 69 in lanes, 67 to 103 a spread row.
  constexpr int kStart = 30, kPool = 17, kJoin = 20;
  int columns = t.spread ? t.laneColumns(t.columns) : t.columns,
      once = kStart + work.pools * (t.spread ? kPool + kJoin : kPool);
  return int64_t(t.spread ? rows : 1) *
         (work.passes * div_up(columns, get_eu_num<float>()) + once);
}

/// About the cycles that tiles of whole rows take, to compare ways to make
/// them. In each step of the pipeline a tile is loaded, the one before computed
/// and the one before that stored. A chip without rates is taken to transfer in
/// no time.
inline int64_t rowCycles(const RowTiling &t, const RowWork &work,
                         int elementBytes) {
  const int tiles = div_up(t.rows, t.tileRows), load = dma_load_bytes(),
            store = dma_store_bytes();
  auto rowsOf = [&](int tile) {
    return tile < 0 ? 0 : max(0, min(t.tileRows, t.rows - tile * t.tileRows));
  };
  auto moved = [&](int rows, int rate) {
    return rate > 0 ? int64_t(rows) * t.columns * elementBytes / rate : 0;
  };
  int64_t cycles = 0;
  for (int step = 0; step < tiles + 2; ++step) {
    int rows = rowsOf(step - 1);
    cycles += max(rows > 0 ? tileCycles(t, work, rows) : 0,
                  moved(rowsOf(step), load) + moved(rowsOf(step - 2), store));
  }
  return cycles;
}

/// `t` with as many rows in a tile, up to `most`, as are fastest: several tiles
/// overlap, one has fewest commands.
inline RowTiling fastestTiles(RowTiling t, const RowWork &work,
                              int elementBytes, int most) {
  RowTiling best = t;
  for (int tiles = 1; tiles <= 8; tiles *= 2) {
    t.tileRows = min(most, div_up(t.rows, tiles));
    if (tiles == 1 ||
        rowCycles(t, work, elementBytes) < rowCycles(best, work, elementBytes))
      best = t;
  }
  return best;
}
} // namespace detail

/// Makes k, of the matrices of whose rows k.tiling is, with tiles of whole rows
/// (`whole`) or, if rows do not fit, with the widest pieces that do, one row
/// after the other (`pieces`). A row takes a lane, or, if that takes longer or
/// does not fit, all of them. What `attempt` gave last; k.tiling is what it was
/// tried with.
template <class T, template <class> class Kernel>
int attempt_rows(Kernel<T> &k, const RowWork &work, void (*whole)(Kernel<T> &),
                 void (*pieces)(Kernel<T> &)) {
  const int rows = k.tiling.rows, columns = k.tiling.columns,
            bytes = int(sizeof(T)),
            least = max(shortest_dma_run(), eu_bytes()) / bytes;
  auto attemptWith = [&](const RowTiling &t) {
    k.tiling = t;
    return attempt([&] { t.tileColumns < columns ? pieces(k) : whole(k); });
  };
  RowTiling lanes = {rows, columns, false, 1, columns, least},
            t = {rows, columns, true, 1, columns, least};
  lanes = detail::fastestTiles(lanes, work, bytes, LANE_NUM);
  t = detail::fastestTiles(t, work, bytes, rows);
  if (detail::rowCycles(lanes, work, bytes) <=
          detail::rowCycles(t, work, bytes) &&
      attemptWith(lanes) == 0)
    return 0;
  int code = attemptWith(t);
  while (code && t.tileRows > 1) {
    t.tileRows = div_up(t.tileRows, 2);
    code = attemptWith(t);
  }
  while (code && t.laneColumns(t.tileColumns) > least) {
    t.tileColumns = div_up(t.tileColumns, 2);
    code = attemptWith(t);
  }
  return code;
}

} // namespace ppl

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_ROWS_H
