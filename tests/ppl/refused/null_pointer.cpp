// A kernel that is given no memory.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out, float *in) {
  dim4 all = {1, 64, 1, 64};
  // refused: the pointer of a GLOBAL tensor is null; pass memory of ppl::malloc
  // or ppl::rand
  gtensor<float> from(all, GLOBAL, in);
  gtensor<float> to(all, GLOBAL, out);
  tensor<float> x(all);
  dma::load(x, from);
  dma::store(to, x);
}
__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  float *out = ppl::malloc<float>(&shape);
  kernel(out, nullptr);
  expect(out, &shape, [](int64_t) { return 0; });
}
