// Fp16 is not converted to bf16 at once.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  dim4 shape = {1, 64, 1, 32};
  tensor<fp16> x(shape);
  tensor<bf16> y(shape);
  tiu::fill(x, 3.0f);
  // refused: ppl::tiu::cast: dst is bf16, src is fp16; fp16 and bf16 are not
  // converted into each other: cast to fp32 between
  tiu::cast(y, x);
}
#include "call_kernel.h"
