// A size that no register of the machine holds.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  // refused: shape is 1x64x1x70000, each size must be 1 to 65535
  tensor<float> x({1, 64, 1, 70000});
  tiu::fill(x, 1.0f);
}
#include "call_kernel.h"
