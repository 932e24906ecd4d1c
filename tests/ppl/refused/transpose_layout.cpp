// transpose_cw gives rows that begin on EU boundaries.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  tensor<fp16> src({1, 100, 4, 20}), dst({1, 20, 4, 100});
  // refused: ppl::tiu::transpose_cw: dst is N-byte aligned; the layout of dst
  // must be row aligned
  tiu::transpose_cw(dst, src);
}
__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  float *out = ppl::malloc<float>(&shape);
  kernel(out);
  expect(out, &shape, [](int64_t) { return 0; });
}
