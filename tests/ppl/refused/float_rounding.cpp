// Fp32 to fp16 does not round ties up.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  dim4 shape = {1, 64, 1, 32};
  tensor<float> x(shape);
  tensor<fp16> y(shape);
  tiu::fill(x, 3.0f);
  // refused: ppl::tiu::cast: round_mode is RM_HALF_UP; on bm1684x conversions
  // from and to floats round by RM_HALF_TO_EVEN, RM_HALF_AWAY_FROM_ZERO,
  // RM_TOWARDS_ZERO, RM_DOWN or RM_UP
  tiu::cast(y, x, RM_HALF_UP);
}
#include "call_kernel.h"
