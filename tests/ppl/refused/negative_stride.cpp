// A stride below zero.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  // refused: a stride is -1, must be 0 to 2147483647 elements
  auto to = make_gtensor<float>(all, GLOBAL, out, {4096, 64, 64, -1});
  dma::fill(to, 1.0f);
}
#include "call_kernel.h"
