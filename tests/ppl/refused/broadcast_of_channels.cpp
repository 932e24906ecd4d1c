// A maximum does not broadcast channels.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  tensor<float> x({1, 1, 1, 16}), y({1, 64, 1, 16}), z({1, 64, 1, 16});
  tiu::fill(x, 1.0f);
  tiu::fill(y, 1.0f);
  // refused: ppl::tiu::fmax: src1 has 1 on axis c, dst has 64; each axis of
  // src0 and src1 must equal that of dst or be 1, c must be equal (channels lie
  // in different lanes: copy them with dma::broadcast first)
  tiu::fmax(z, y, x);
}
#include "call_kernel.h"
