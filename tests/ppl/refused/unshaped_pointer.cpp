// Memory behind a pointer has no shape that a tensor could take.

#include "ppl.h"

using namespace ppl;

__KERNEL__ void kernel(fp16 *out, fp16 *in) {
  tensor<fp16> x;
  // refused: a pointer has no shape that the tensor could take; give the tensor
  // one, as in tensor<fp16> x(shape), or load from a gtensor
  dma::load(x, in);
  dma::store(out, x);
}
__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  kernel(ppl::malloc<fp16>(&shape), ppl::malloc<fp16>(&shape));
}
