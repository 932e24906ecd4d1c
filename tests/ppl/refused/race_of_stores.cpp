// Two blocks store to the same rows.
// options: --target bm1690

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  set_block_num(2);
  dim4 part = {1, 40, 1, 64}, at = {0, 24 * get_block_index(), 0, 0};
  tensor<float> x(part);
  tiu::fill(x, 1.0f);
  // refused: race: ppl::dma::store and ppl::dma::store at
  // race_of_stores.cpp:18 touch the same bytes (dst and dst) in blocks 0 and 1
  // with no sync() between; call sync() between them, or give each block its
  // own part
  dma::store(gtensor<float>(all, GLOBAL, out).sub_view(part, at), x);
}
#include "call_kernel.h"
