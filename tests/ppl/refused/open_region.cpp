// A parallel region without an end.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  tensor<float> x(all);
  // refused: the kernel ends inside what parallel_start() begins here; end it
  // before
  parallel_start();
  tiu::fill(x, 1.0f);
  dma::store(gtensor<float>(all, GLOBAL, out), x);
}
#include "call_kernel.h"
