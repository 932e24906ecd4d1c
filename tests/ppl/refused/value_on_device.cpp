// A value that only the device knows.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  // refused: get_value: no value of device memory is known while a kernel is
  // recorded; pass it to the kernel as a parameter, or use a gather with the
  // value as index
  int count = get_value<int>(get_gmem_addr(out));
  (void)count;
}
#include "call_kernel.h"
