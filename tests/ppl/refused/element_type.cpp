// No quotient of fp16 on BM1684X.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  dim4 shape = {1, 64, 1, 32};
  tensor<fp16> x(shape), y(shape);
  tiu::fill(x, 3.0f);
  // refused: ppl::tiu::fdiv: dst is fp16; on bm1684x dst must be fp32
  tiu::fdiv(y, 1.0f, x);
}
#include "call_kernel.h"
