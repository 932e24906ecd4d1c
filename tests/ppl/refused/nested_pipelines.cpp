// Two pipelined loops, one in the other.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  for (int i = 0; i < 2; ++i) {
    enable_pipeline();
    for (int j = 0; j < 2; ++j) {
      // refused: enable_pipeline() in a loop inside a pipelined loop; keep the
      // one of the inner loop
      enable_pipeline();
      tensor<float> x({1, 64, 1, 16});
      dma::load(x, gtensor<float>({1, 64, 1, 16}, GLOBAL, out));
    }
  }
}
#include "call_kernel.h"
