// Operands of different sizes.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  tensor<float> x(all), y({1, 64, 1, 32});
  tiu::fill(x, 1.0f);
  // refused: ppl::tiu::fadd: src1 has 32 on axis w, dst has 64; each axis of
  // src0 and src1 must equal that of dst or be 1
  tiu::fadd(x, x, y);
}
#include "call_kernel.h"
