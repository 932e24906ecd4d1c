// Memory of the compiler in DRAM, of which the last channel is not filled.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  tensor<float> x(all);
  gtensor<float> scratch(all, GLOBAL);
  dma::fill(scratch.sub_view({1, 63, 1, 64}, {0, 0, 0, 0}), 1.0f);
  // refused: ppl::dma::load: src reads 64 of 4096 elements that nothing has
  // written, the first at n 0, c 63, h 0, w 0, of the tensor made at
  // unwritten_global.cpp:10, and results depend on them; load, fill or compute
  // all that is read
  dma::load(x, scratch);
  dma::store(gtensor<float>(all, GLOBAL, out), x);
}
#include "call_kernel.h"
