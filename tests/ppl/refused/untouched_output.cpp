// The test looks at memory that the kernel was never given.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  tensor<float> x(all);
  tiu::fill(x, 0.0f);
  dma::store(gtensor<float>(all, GLOBAL, out), x);
}
__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  float *out = ppl::malloc<float>(&shape), *other = ppl::malloc<float>(&shape);
  kernel(out);
  // warned: expect: no tensor of the kernel lies in this memory, so nothing
  // writes it; pass the pointer to the kernel and store to it
  expect(other, &shape, [](int64_t) { return 0; });
}
