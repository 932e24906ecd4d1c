// Memory that the device does not see.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  static float host[64];
  // refused: the pointer is no global memory of this program; take it from
  // ppl::malloc or ppl::rand in the test
  gtensor<float> g({1, 64, 1, 1}, GLOBAL, host);
  tensor<float> x({1, 64, 1, 1});
  dma::load(x, g);
}
#include "call_kernel.h"
