// A pooling result of the wrong size.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  tensor<float> x({1, 64, 8, 8}), y({1, 64, 5, 4});
  dim2 two = {2, 2}, one = {1, 1};
  padding_t none = {0, 0, 0, 0};
  tiu::fill(x, 1.0f);
  // refused: ppl::tiu::fpool_max: dst has h 5, the window gives 4; n must
  // agree, h and w must be ((size - 1) * (insert + 1) + 1 + pads - ((kernel -
  // 1) * dilation + 1)) / stride + 1
  tiu::fpool_max(y, x, &two, &none, &two, &one);
}
#include "call_kernel.h"
