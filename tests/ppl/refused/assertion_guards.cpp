// An assertion ends the recording: what it guards does not run.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  volatile int blocks = 0;
  // refused: assert(blocks >= 1 && "a block at least") does not hold
  assert(blocks >= 1 && "a block at least");
  print("%d rows", 64 / blocks);
}
#include "call_kernel.h"
