// One block loads what another stores, without sync().
// options: --target bm1690

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  set_block_num(2);
  tensor<float> x(all);
  gtensor<float> meeting(all, L2);
  if (get_block_index() == 0)
    dma::fill(meeting, 1.0f);
  if (get_block_index() == 1) {
    // refused: race: ppl::dma::load and ppl::dma::fill at
    // race_of_blocks.cpp:14 touch the same bytes (src and dst) in blocks 0 and
    // 1 with no sync() between; call sync() between them, or give each block
    // its own part
    dma::load(x, meeting);
    dma::store(gtensor<float>(all, GLOBAL, out), x);
  }
}
#include "call_kernel.h"
