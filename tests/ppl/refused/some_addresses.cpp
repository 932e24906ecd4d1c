// One tensor has an address, the other none.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  dim4 shape = {1, 64, 1, 64};
  tensor<float> x(shape, TPU_ALIGN, 0);
  // refused: this local tensor has no address, others have one; give all local
  // tensors addresses or none
  tensor<float> y(shape);
  tiu::fmul(y, x, 2.0f);
}
#include "call_kernel.h"
