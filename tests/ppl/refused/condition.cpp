// An assertion of the kernel.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  int rows = 70;
  // refused: assert(rows <= 64) does not hold
  assert(rows <= 64);
}
#include "call_kernel.h"
