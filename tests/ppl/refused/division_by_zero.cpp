// The host divides by zero while it records.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  volatile int blocks = 0;
  // refused: test test crashed after this call: an integer was divided by
  // zero; run weft under a debugger
  tensor<float> x(all);
  tiu::fill(x, float(64 / blocks));
}
#include "call_kernel.h"
