//===- multicore.cpp - kernels for several cores (BM1690) -----------------===//

#include "tiles.h"

using namespace ppl;

// PPL 3.5: each core takes its rows.
__KERNEL__ void square_on_cores(float *out, float *in, int rows, int columns,
                                int cores) {
  set_block_num(cores);
  int share = div_up(rows, get_block_num()), first = share * get_block_index(),
      count = min(share, rows - first);
  if (count <= 0)
    return;
  dim4 all = {1, rows, 1, columns}, part = {1, count, 1, columns},
       at = {0, first, 0, 0};
  gtensor<float> gin(all, GLOBAL, in), gout(all, GLOBAL, out);
  tensor<float> x(part), y(part);
  dma::load(x, gin.sub_view(part, at));
  tiu::fmul(y, x, x);
  dma::store(gout.sub_view(part, at), y);
}
static void testSquare(int cores) {
  dim4 shape = {1, 50, 1, 30};
  float *out = ppl::malloc<float>(&shape),
        *in = ppl::rand<float>(&shape, -1.0, 1.0);
  square_on_cores(out, in, 50, 30, cores);
  expect(out, &shape, [&](int64_t i) { return in[i] * in[i]; });
}
__TEST__ void square_on_one_core() { testSquare(1); }
__TEST__ void square_on_all_cores() { testSquare(8); }

// Partial sums of the cores meet in L2, behind a barrier: every core then has
// the sum of all rows, and scales its own rows by it.
__KERNEL__ void scale_by_column_sums(float *out, float *in, int rows,
                                     int columns, int cores) {
  set_block_num(cores);
  int count = get_block_num(), index = get_block_index(),
      share = div_up(rows, count), first = share * index,
      own = min(share, rows - first);
  dim4 all = {1, 1, rows, columns}, one = {1, 1, 1, columns},
       parts = {1, 1, count, columns}, part = {1, 1, own, columns};
  gtensor<float> gin(all, GLOBAL, in), gout(all, GLOBAL, out),
      meeting(parts, L2);
  tensor<float> x(part), sum(one);
  dma::load(x, gin.sub_view(part, {0, 0, first, 0}));
  dim2 window = {own, 1}, step = {1, 1};
  padding_t none;
  tiu::fpool_avg(sum, x, &window, &none, &step, &step, nullptr, 1.0f);
  dma::store(meeting.sub_view(one, {0, 0, index, 0}), sum);
  sync();
  tensor<float> gathered(parts), total(one), y(part);
  dma::load(gathered, meeting);
  dim2 over = {count, 1};
  tiu::fpool_avg(total, gathered, &over, &none, &step, &step, nullptr, 1.0f);
  tiu::fmul(y, x, total);
  dma::store(gout.sub_view(part, {0, 0, first, 0}), y);
}
static void testColumnSums(int cores) {
  const int rows = 40, columns = 24;
  dim4 shape = {1, 1, rows, columns};
  float *out = ppl::malloc<float>(&shape),
        *in = ppl::rand<float>(&shape, -1.0, 1.0);
  scale_by_column_sums(out, in, rows, columns, cores);
  // 40 sums of at most 40, each rounded.
  expect(
      out, &shape,
      [&](int, int, int r, int w) {
        double sum = 0;
        for (int i = 0; i < rows; ++i)
          sum += in[i * columns + w];
        return sum * in[r * columns + w];
      },
      kFp32, 40 * 40 * kFp32);
}
__TEST__ void column_sums_on_one_core() { testColumnSums(1); }
__TEST__ void column_sums_on_all_cores() { testColumnSums(8); }
