// Only the second block stores what it does not wait for.
// options: --target bm1690

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  set_block_num(2);
  tensor<float> x(all), y(all);
  if (get_block_index() == 1) {
    tiu::fill(x, 1.0f);
    parallel_start();
    tiu::fadd(y, x, 1.0f);
    // refused: race: ppl::dma::store and ppl::tiu::fadd at
    // race_in_second_block.cpp:15 touch the same bytes (src and dst) between
    // parallel_start() and parallel_end()
    dma::store(gtensor<float>(all, GLOBAL, out), y);
    parallel_end();
  }
}
#include "call_kernel.h"
