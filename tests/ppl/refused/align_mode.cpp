// A layout that local memory does not have.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  // refused: align mode is 0, must be TPU_ALIGN, TPU_COMPACT or TPU_ROW_ALIGN
  // here
  tensor<float> x(all, CONTINUOUS);
  tiu::fill(x, 1.0f);
}
#include "call_kernel.h"
