// A size below zero.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  int rows = 8;
  // refused: shape is 1x64x-1x64, each size must be 1 to 65535
  tensor<float> x({1, 64, rows - 9, 64});
  tiu::fill(x, 1.0f);
}
#include "call_kernel.h"
