// Given addresses whose banks overlap.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  dim4 shape = {1, 64, 1, 64};
  tensor<float> x(shape, TPU_ALIGN, 0), y(shape, TPU_ALIGN, 128);
  tiu::fill(x, 1.0f);
  // refused: ppl::tiu::fmul: dst at 128 overlaps src0 at 0; dst must be exactly
  // a source or lie apart from it
  tiu::fmul(y, x, 2.0f);
}
#include "call_kernel.h"
