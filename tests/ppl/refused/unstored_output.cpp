// The kernel stores to another tensor than the one that the test looks at.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out, float *other) {
  dim4 all = {1, 64, 1, 64};
  tensor<float> x(all);
  // warned: nothing is stored to this tensor, though the test expects values
  // in its memory (unstored_output.cpp:20); store the result to it
  gtensor<float> to(all, GLOBAL, out), instead(all, GLOBAL, other);
  tiu::fill(x, 0.0f);
  dma::store(instead, x);
}
__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  float *out = ppl::malloc<float>(&shape), *other = ppl::malloc<float>(&shape);
  kernel(out, other);
  expect(out, &shape, [](int64_t) { return 0; });
}
