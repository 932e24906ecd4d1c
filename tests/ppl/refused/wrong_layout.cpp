// A select takes aligned tensors.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  dim4 shape = {1, 64, 3, 5};
  tensor<float> x(shape), y(shape, TPU_COMPACT);
  tiu::fill(x, 1.0f);
  // refused: ppl::tiu::gt_select: dst is compact; the layout of dst must be
  // N-byte aligned
  tiu::gt_select(y, x, 0.0f, x, x);
}
#include "call_kernel.h"
