// 32 channels are not broadcast to 64.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  tensor<float> x({1, 32, 1, 16}), y({1, 64, 1, 16}), z({1, 64, 1, 16});
  tiu::fill(x, 1.0f);
  tiu::fill(y, 1.0f);
  // refused: ppl::tiu::fadd: src1 has 32 on axis c, dst has 64; each axis of
  // src0 and src1 must equal that of dst or be 1
  tiu::fadd(z, y, x);
}
#include "call_kernel.h"
