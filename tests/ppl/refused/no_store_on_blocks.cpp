// No block stores anything.
// options: --target bm1690

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  set_block_num(2);
  tensor<float> x(all);
  // refused: the program writes no global memory; store a result
  tiu::fill(x, 1.0f);
}
#include "call_kernel.h"
