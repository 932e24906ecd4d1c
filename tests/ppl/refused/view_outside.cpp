// A view that is larger than its tensor.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  tensor<float> x({1, 64, 1, 16});
  // refused: view: the view of 1x64x1x64 fp32 ends 256 bytes behind the start
  // of its memory in each lane, which has 64
  auto y = x.view({1, 64, 1, 64});
  tiu::fill(y, 1.0f);
}
#include "call_kernel.h"
