// A number that becomes infinite in the type of the operands.

#include "ppl/ppl.h"

#include <cmath>

using namespace ppl;

__KERNEL__ void kernel(float *) {
  dim4 shape = {1, 64, 1, 32};
  tensor<fp16> x(shape), y(shape);
  tiu::fill(x, 3.0f);
  tiu::fmul(y, x, INFINITY);
  tiu::fmul(y, x, 65504.0f);
  tiu::fmin(y, x, 70000.0f);
  // refused: ppl::tiu::fmul: src1 is 70000, dst is fp16, which has no such
  // number; cast to fp32 before, or give an infinity if it is meant
  tiu::fmul(y, x, 70000.0f);
}
#include "call_kernel.h"
