// Axes in no order.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  const int *order = nullptr;
  // refused: make_gtensor_permute: order is not a permutation of 0, 1, 2, 3
  auto to = make_gtensor_permute<float>(all, GLOBAL, out, order);
  tensor<float> x(all);
  tiu::fill(x, 1.0f);
  dma::store(to, x);
}
#include "call_kernel.h"
