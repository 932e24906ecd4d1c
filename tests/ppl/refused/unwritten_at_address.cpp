// A tensor at an address of its own that nothing writes.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  tensor<float> x(all, TPU_ALIGN, 0), y(all, TPU_ALIGN, 1024);
  tiu::fill(x, 1.0f);
  // refused: ppl::tiu::fadd: src1 reads 4096 of 4096 elements that nothing has
  // written, the first at n 0, c 0, h 0, w 0, of the tensor made at
  // unwritten_at_address.cpp:9, and results depend on them; load, fill or
  // compute all that is read
  tiu::fadd(x, x, y);
  dma::store(gtensor<float>(all, GLOBAL, out), x);
}
#include "call_kernel.h"
