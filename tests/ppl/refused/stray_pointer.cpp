// The host writes through a pointer to nowhere.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  // refused: test test crashed after this call: it touched memory that is not
  // its own (a null or stray pointer, an index out of range), or called itself
  // without end; run weft under a debugger
  tensor<float> x(all);
  *reinterpret_cast<volatile int *>(16) = 1;
}
#include "call_kernel.h"
