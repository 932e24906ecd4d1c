// An aligned tensor in the middle of a vector.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  // refused: address 4 is no multiple of 64, which layout N-byte aligned asks
  // for
  tensor<float> x(all, TPU_ALIGN, 4);
  tiu::fill(x, 1.0f);
  dma::store(gtensor<float>(all, GLOBAL, out), x);
}
#include "call_kernel.h"
