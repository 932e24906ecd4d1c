// A tensor that is larger than its memory.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  // refused: a tensor of 1x64x1x999 fp32 takes 255744 bytes, behind its pointer
  // are 16384; allocate more or take a smaller shape
  gtensor<float> g({1, 64, 1, 999}, GLOBAL, out);
  tensor<float> x({1, 64, 1, 999});
  dma::load(x, g);
}
#include "call_kernel.h"
