// A load into a smaller tensor.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  tensor<float> x({1, 64, 1, 16});
  // refused: ppl::dma::load: dst has shape 1x64x1x16, src 1x64x1x32; dst and
  // src must have one shape
  dma::load(x, gtensor<float>({1, 64, 1, 32}, GLOBAL, out));
}
#include "call_kernel.h"
