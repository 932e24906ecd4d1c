// The blocks meet inside a loop that overlaps.
// options: --target bm1690

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  set_block_num(2);
  for (int i = 0; i < 2; ++i) {
    enable_pipeline();
    tensor<float> x(all);
    // refused: sync() inside a pipelined loop; meet outside
    tiu::fill(x, 1.0f);
    sync();
    dma::store(gtensor<float>(all, GLOBAL, out), x);
  }
}
#include "call_kernel.h"
