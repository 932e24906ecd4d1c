// A tensor without a shape that nothing has written.

#include "ppl.h"

using namespace ppl;

__KERNEL__ void kernel(fp16 *out) {
  gtensor<fp16> to({1, 64, 1, 64}, GLOBAL, out);
  tensor<fp16> sum, x;
  // refused: ppl::tiu::fadd: src0 is read, but nothing has been written to it,
  // so that it has no shape; write to it first, or give it a shape, as in
  // tensor<fp16> x(shape)
  tiu::fadd(sum, x, 1.0f);
  dma::store(to, sum);
}
__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  kernel(ppl::malloc<fp16>(&shape));
}
