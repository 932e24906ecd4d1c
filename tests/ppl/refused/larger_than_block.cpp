// More rows than the block has.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  // refused: make_tensor: the real shape exceeds the block shape; make the
  // block larger
  auto x = make_tensor<float>({1, 64, 1, 32}, all);
  tiu::fill(x, 1.0f);
}
#include "call_kernel.h"
