// A tensor is read that nothing has written.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  tensor<float> x(all), y(all);
  // refused: ppl::tiu::fadd: src0 reads 4096 of 4096 elements that nothing has
  // written, the first at n 0, c 0, h 0, w 0, of the tensor made at
  // unwritten.cpp:9, and results depend on them; load, fill or compute all
  // that is read
  tiu::fadd(y, x, 1.0f);
  dma::store(gtensor<float>(all, GLOBAL, out), y);
}
#include "call_kernel.h"
