// A part that leaves its tensor.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  tensor<float> x({1, 64, 1, 16});
  // refused: sub_view: the part of 1x64x1x8 at (0, 0, 0, 12) leaves the tensor
  // of 1x64x1x16: on axis w it takes 12 to 20, there are 0 to 16
  auto y = x.sub_view({1, 64, 1, 8}, {0, 0, 0, 12});
  tiu::fill(y, 1.0f);
}
#include "call_kernel.h"
