//===- sorting.cpp - the sorting engine -----------------------------------===//

#include "tiles.h"

using namespace ppl;

// PPL 4.5: the largest values of each row and where they stand.
__KERNEL__ void top_values(float *values, int32 *indices, float *in, int rows,
                           int columns, int k) {
  dim4 line = {1, 1, 1, columns}, best = {1, 1, 1, k};
  for (int row = 0; row < rows; ++row)
    hau::topk(gtensor<float>(best, GLOBAL, values + row * k),
              gtensor<int32>(best, GLOBAL, indices + row * k),
              gtensor<float>(line, GLOBAL, in + row * columns), k, true);
}
__TEST__ void top_values_of_rows() {
  const int rows = 6, columns = 300, k = 10;
  dim4 all = {1, 1, rows, columns}, best = {1, 1, rows, k};
  float *values = ppl::malloc<float>(&best),
        *in = ppl::rand<float>(&all, -1.0, 1.0);
  int32 *indices = ppl::malloc<int32>(&best);
  top_values(values, indices, in, rows, columns, k);
  // The place of rank j: as many numbers of the row are larger, or equal and
  // before it.
  auto ranked = [&](int r, int j) {
    for (int i = 0; i < columns; ++i) {
      int before = 0;
      for (int o = 0; o < columns; ++o)
        before += in[r * columns + o] > in[r * columns + i] ||
                  (in[r * columns + o] == in[r * columns + i] && o < i);
      if (before == j)
        return i;
    }
    return -1;
  };
  expect(indices, &best, [&](int, int, int r, int j) { return ranked(r, j); });
  expect(values, &best, [&](int, int, int r, int j) {
    return in[r * columns + ranked(r, j)];
  });
}

// The rows of a table in the order of their keys: sort, then gather.
__KERNEL__ void sort_rows(float *out, float *keys, int32 *order, float *key,
                          float *table, int rows, int columns) {
  dim4 line = {1, 1, 1, rows}, all = {1, 1, rows, columns},
       list = {1, 1, rows, 1};
  gtensor<int32> positions(line, GLOBAL, order);
  hau::topk(gtensor<float>(line, GLOBAL, keys), positions,
            gtensor<float>(line, GLOBAL, key), rows, false);
  dma::gather_h(gtensor<float>(all, GLOBAL, out),
                gtensor<float>(all, GLOBAL, table),
                positions.view<uint32>(list), 0.0f);
}
__TEST__ void sort_rows_by_key() {
  const int rows = 40, columns = 25;
  dim4 line = {1, 1, 1, rows}, all = {1, 1, rows, columns};
  float *out = ppl::malloc<float>(&all), *keys = ppl::malloc<float>(&line),
        *key = ppl::malloc<float>(&line),
        *table = ppl::rand<float>(&all, -1.0, 1.0);
  int32 *order = ppl::malloc<int32>(&line);
  for (int i = 0; i < rows; ++i)
    key[i] = float((i * 27 + 5) % rows); // each number once
  sort_rows(out, keys, order, key, table, rows, columns);
  auto rowOf = [&](int rank) {
    int at = 0;
    while (key[at] != float(rank))
      ++at;
    return at;
  };
  expect(keys, &line, [](int64_t i) { return i; });
  expect(out, &all,
         [&](int, int, int r, int w) { return table[rowOf(r) * columns + w]; });
}
