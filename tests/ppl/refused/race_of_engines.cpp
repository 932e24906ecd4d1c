// The store does not wait for what it stores.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  tensor<float> x(all), y(all);
  tiu::fill(x, 1.0f);
  parallel_start();
  tiu::fadd(y, x, 1.0f);
  // refused: race: ppl::dma::store and ppl::tiu::fadd at
  // race_of_engines.cpp:12 touch the same bytes (src and dst) between
  // parallel_start() and parallel_end(); close the region between them, or use
  // other tensors
  dma::store(gtensor<float>(all, GLOBAL, out), y);
  parallel_end();
}
#include "call_kernel.h"
