// An attempt inside a pipelined loop.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  for (int i = 0; i < 2; ++i) {
    enable_pipeline();
    // refused: attempt() inside a pipelined loop; put the loop into the attempt
    attempt([&] {
      tensor<float> x(all);
      tiu::fill(x, 1.0f);
      dma::store(gtensor<float>(all, GLOBAL, out), x);
    });
  }
}
#include "call_kernel.h"
