// options: --no-check
// The same when only the run shows it.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out, uint16 *list) {
  tensor<float> table({1, 4, 1, 8}), picked({1, 4, 1, 5});
  tensor<uint16> index({1, 5, 1, 1}, TPU_COMPACT);
  tiu::fill(table, 1.0f);
  dma::load(index, gtensor<uint16>({1, 5, 1, 1}, GLOBAL, list));
  // refused: ppl::tiu::gather_w: index 9 at element 3 of the index list
  tiu::gather_w(picked, table, index);
  dma::store(gtensor<float>({1, 4, 1, 5}, GLOBAL, out), picked);
}

__TEST__ void test() {
  dim4 all = {1, 4, 1, 5}, indices = {1, 5, 1, 1};
  float *out = ppl::malloc<float>(&all);
  uint16 *list = ppl::malloc<uint16>(&indices);
  list[3] = 9;
  kernel(out, list);
  expect(out, &all, [](int) { return 1.0; }, 0, 0);
}
