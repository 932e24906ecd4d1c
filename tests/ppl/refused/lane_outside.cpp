// An address behind the last lane.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  // refused: address 1099511627776 lies behind the last lane, which ends at
  // 16777216
  tensor<float> x(all, TPU_ALIGN, 1LL << 40);
  tiu::fill(x, 1.0f);
}
#include "call_kernel.h"
