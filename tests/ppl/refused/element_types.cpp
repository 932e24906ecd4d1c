// Operands of two element types.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  tensor<float> x(all);
  tensor<fp16> y(all);
  tiu::fill(y, fp16(1.0f));
  // refused: ppl::tiu::fmul: dst is fp32, src0 is fp16; dst, src0 and src1
  // must have one element type
  tiu::fmul(x, y, 2.0f);
}
#include "call_kernel.h"
