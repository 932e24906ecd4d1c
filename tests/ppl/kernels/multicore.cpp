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

// Two tensors of L2 that a barrier keeps apart in one block, but not in both:
// each block reads all of what both have stored.
__KERNEL__ void meet_twice(float *out, float *out2) {
  set_block_num(2);
  int block = get_block_index();
  dim4 all = {1, 64, 2, 64}, part = {1, 64, 1, 64}, at = {0, 0, block, 0};
  gtensor<float> first(all, L2), second(all, L2);
  tensor<float> x(part), y(all), z(all);
  tiu::fill(x, float(block + 1));
  dma::store(first.sub_view(part, at), x);
  sync();
  dma::load(y, first);
  tiu::fill(x, 100.0f);
  dma::store(second.sub_view(part, at), x);
  sync();
  dma::load(z, second);
  if (block == 1) {
    dma::store(gtensor<float>(all, GLOBAL, out), y);
    dma::store(gtensor<float>(all, GLOBAL, out2), z);
  }
}
__TEST__ void blocks_meet_twice_in_l2() {
  dim4 all = {1, 64, 2, 64};
  float *out = ppl::malloc<float>(&all), *out2 = ppl::malloc<float>(&all);
  meet_twice(out, out2);
  expect(out, &all, [](int64_t i) { return i / 64 % 2 + 1.0; }, 0, 0);
  expect(out2, &all, [](int64_t) { return 100.0; }, 0, 0);
}

// Each block uses one of the two tensors only; they are the same ones.
__KERNEL__ void use_second(float *out) {
  set_block_num(2);
  dim4 all = {1, 64, 1, 64};
  gtensor<float> first(all, L2), second(all, L2);
  tensor<float> x(all), y(all);
  if (get_block_index() == 0) {
    dma::fill(first, 1.0f);
    dma::fill(second, 2.0f);
    dma::load(x, first);
    dma::store(first, x);
  }
  sync();
  if (get_block_index() == 1) {
    dma::load(y, second);
    dma::store(gtensor<float>(all, GLOBAL, out), y);
  }
}
__TEST__ void block_reads_second_tensor_of_l2() {
  dim4 all = {1, 64, 1, 64};
  float *out = ppl::malloc<float>(&all);
  use_second(out);
  expect(out, &all, [](int64_t) { return 2.0; }, 0, 0);
}

// Tensors that a barrier keeps apart in all blocks share memory: each takes
// half of what two blocks may use.
__KERNEL__ void reuse(float *out, int rounds, int rows) {
  set_block_num(2);
  dim4 all = {1, 64, rows, 1024}, part = {1, 64, rows / 2, 1024},
       one = {1, 64, 1, 64};
  dim4 at = {0, 0, get_block_index() * rows / 2, 0};
  for (int i = 0; i < rounds; ++i) {
    gtensor<float> large(all, L2);
    dma::fill(large.sub_view(part, at), float(i));
    sync();
    tensor<float> x(one);
    dma::load(x, large.sub_view(one, {0, 0, rows - 1, 960}));
    if (get_block_index() == 0)
      dma::store(gtensor<float>({1, 64, rounds, 64}, GLOBAL, out)
                     .sub_view(one, {0, 0, i, 0}),
                 x);
    sync();
  }
}
__TEST__ void blocks_reuse_l2() {
  const int rounds = 6, rows = 64;
  dim4 all = {1, 64, rounds, 64};
  float *out = ppl::malloc<float>(&all);
  reuse(out, rounds, rows);
  expect(out, &all, [&](int64_t i) { return double(i / 64 % rounds); }, 0, 0);
}
