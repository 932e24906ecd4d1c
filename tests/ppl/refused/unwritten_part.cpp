// Only a part of what is read was loaded.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  tensor<float> x(all), y(all);
  tiu::fill(x.sub_view({1, 64, 1, 48}, {0, 0, 0, 0}), 1.0f);
  // refused: ppl::tiu::fadd: src0 reads 1024 of 4096 elements that nothing has
  // written, the first at n 0, c 0, h 0, w 48, of the tensor made at
  // unwritten_part.cpp:9, and results depend on them; load, fill or compute
  // all that is read
  tiu::fadd(y, x, 1.0f);
  dma::store(gtensor<float>(all, GLOBAL, out), y);
}
#include "call_kernel.h"
