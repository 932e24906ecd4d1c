// A constant gives a tensor no shape.

#include "ppl.h"

using namespace ppl;

__KERNEL__ void kernel(fp16 *out) {
  gtensor<fp16> to({1, 64, 1, 64}, GLOBAL, out);
  tensor<fp16> x;
  // refused: ppl::tiu::fill: dst has no shape, and this function gives it none;
  // give it a shape, as in tensor<fp16> x(shape)
  tiu::zero(x);
  dma::store(to, x);
}
__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  kernel(ppl::malloc<fp16>(&shape));
}
