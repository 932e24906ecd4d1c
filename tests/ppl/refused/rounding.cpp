// A rounding mode that does not exist.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  dim4 shape = {1, 64, 1, 32};
  tensor<float> x(shape);
  tensor<int8> y(shape);
  tiu::fill(x, 3.0f);
  // refused: ppl::tiu::cast: round_mode is 7, must be RM_HALF_TO_EVEN,
  // RM_HALF_AWAY_FROM_ZERO, RM_TOWARDS_ZERO, RM_DOWN, RM_UP, RM_HALF_UP or
  // RM_HALF_DOWN
  tiu::cast(y, x, rounding_mode_t(7));
}
#include "call_kernel.h"
