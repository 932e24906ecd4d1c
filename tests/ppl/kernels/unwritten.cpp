//===- unwritten.cpp - reads of unwritten bytes that do no harm ----------===//
//
// What a check must not complain about: nothing has written some of the bytes
// that these kernels read, and no result depends on them.
//
//===----------------------------------------------------------------------===//

#include "ppl/ppl.h"

using namespace ppl;

static const dim4 kAll = {1, 64, 1, 64};

/// The whole block is computed, of which only a part was loaded and is stored.
__KERNEL__ void tail_of_block(float *out, float *in) {
  dim4 part = {1, 64, 1, 40}, at = {0, 0, 0, 0};
  tensor<float> x(kAll), y(kAll);
  dma::load(x.sub_view(part, at), gtensor<float>(part, GLOBAL, in));
  tiu::fmul(y, x, 2.0f);
  dma::store(gtensor<float>(part, GLOBAL, out), y.sub_view(part, at));
}
__TEST__ void tail_of_block_is_not_stored() {
  dim4 part = {1, 64, 1, 40};
  float *out = ppl::malloc<float>(&part),
        *in = ppl::rand<float>(&part, -1.0, 1.0);
  tail_of_block(out, in);
  expect(out, &part, [&](int64_t i) { return 2 * in[i]; }, 0, 0);
}

/// A window of one row that takes every second row; the others stay unwritten.
__KERNEL__ void skipped_rows(float *out, float *in) {
  dim4 one = {1, 64, 1, 16}, rows = {1, 64, 4, 16}, taken = {1, 64, 2, 16};
  tensor<float> x(rows), y(taken);
  for (int row : {0, 2})
    dma::load(
        x.sub_view(one, {0, 0, row, 0}),
        gtensor<float>(taken, GLOBAL, in).sub_view(one, {0, 0, row / 2, 0}));
  dim2 window = {1, 1}, step = {2, 1}, dilation = {1, 1};
  padding_t none;
  tiu::fpool_max(y, x, &window, &none, &step, &dilation);
  dma::store(gtensor<float>(taken, GLOBAL, out), y);
}
__TEST__ void window_skips_rows() {
  dim4 taken = {1, 64, 2, 16};
  float *out = ppl::malloc<float>(&taken),
        *in = ppl::rand<float>(&taken, -1.0, 1.0);
  skipped_rows(out, in);
  expect(out, &taken, [&](int64_t i) { return in[i]; }, 0, 0);
}

/// The list names only the rows that the table has.
__KERNEL__ void rows_of_table(float *out, float *in) {
  dim4 table = {1, 1, 64, 64}, filled = {1, 1, 8, 64};
  gtensor<float> rows(table, GLOBAL), from(filled, GLOBAL, in);
  gtensor<uint32> index({1, 1, 64, 1}, GLOBAL);
  dma::move(rows.sub_view(filled, {0, 0, 0, 0}), from);
  dma::fill(index, uint32(7));
  tensor<float> x(table);
  dma::gather_h(x, rows, index, 0.0f);
  dma::store(gtensor<float>(table, GLOBAL, out), x);
}
__TEST__ void list_takes_filled_rows() {
  dim4 table = {1, 1, 64, 64}, filled = {1, 1, 8, 64};
  float *out = ppl::malloc<float>(&table),
        *in = ppl::rand<float>(&filled, -1.0, 1.0);
  rows_of_table(out, in);
  expect(out, &table, [&](int64_t i) { return in[7 * 64 + i % 64]; }, 0, 0);
}

/// A tensor of a loop whose rounds overlap: each round reads what it loads.
__KERNEL__ void shared_buffer(float *out, float *in) {
  gtensor<float> from(kAll, GLOBAL, in), to(kAll, GLOBAL, out);
  dim4 part = {1, 64, 1, 16};
  tensor<float> x(part), y(part);
  for (int i = 0; i < 4; ++i) {
    enable_pipeline();
    dim4 at = {0, 0, 0, 16 * i};
    dma::load(x, from.sub_view(part, at));
    tiu::fadd(y, x, 1.0f);
    dma::store(to.sub_view(part, at), y);
  }
}
__TEST__ void shared_buffer_of_rounds() {
  float *out = ppl::malloc<float>(&kAll),
        *in = ppl::rand<float>(&kAll, -1.0, 1.0);
  shared_buffer(out, in);
  expect(out, &kAll, [&](int64_t i) { return in[i] + 1.0f; }, 0, 0);
}

/// The result lies in the place of its source, which is not unwritten.
__KERNEL__ void tail_in_place(float *out) {
  dim4 all = {1, 64, 1, 40960}, part = {1, 64, 1, 64}, at = {0, 0, 0, 0};
  tensor<float> x(all), y(all); // 160 KB of each lane
  tiu::fill(x, 1.0f);
  tiu::fadd(y.sub_view(part, at), x.sub_view(part, at), 1.0f);
  tiu::fmul(y, y, 2.0f);
  dma::store(gtensor<float>(part, GLOBAL, out), y.sub_view(part, at));
}
__TEST__ void tail_of_result_in_place() {
  dim4 part = {1, 64, 1, 64};
  float *out = ppl::malloc<float>(&part);
  tail_in_place(out);
  expect(out, &part, [](int64_t) { return 4.0; }, 0, 0);
}
