// A tensor that ends behind its lane.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  // refused: the tensor ends at byte 262336, the memory at 262144; choose a
  // lower address or a smaller shape
  tensor<float> x(all, TPU_ALIGN, (1 << 18) - 64);
  tiu::fill(x, 1.0f);
}
#include "call_kernel.h"
