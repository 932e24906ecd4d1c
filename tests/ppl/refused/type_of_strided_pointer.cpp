// The same with strides.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *p) {
  // refused: the tensor is of int32, its pointer to fp32
  auto g = make_gtensor<int32>({1, 4, 1, 8}, GLOBAL, p, {64, 16, 16, 1});
}
#include "call_kernel.h"
