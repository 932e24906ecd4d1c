// A view of a tensor that has been shaped anew.

#include "ppl.h"

using namespace ppl;

__KERNEL__ void kernel(fp16 *out, fp16 *in) {
  gtensor<fp16> from({1, 64, 1, 64}, GLOBAL, in),
      to({1, 64, 1, 32}, GLOBAL, out);
  tensor<fp16> x, y;
  dma::load(x, from);
  auto folded = x.view({1, 64, 2, 32});
  dma::load(x, from.sub_view({1, 64, 1, 32}, {0, 0, 0, 0}));
  // refused: ppl::tiu::fadd: this view is of a tensor without a shape of its
  // own, which has been shaped anew since; take the view again behind that, or
  // give it a shape, as in tensor<fp16> x(shape)
  tiu::fadd(y, folded, x);
  dma::store(to, y);
}
__TEST__ void test() {
  dim4 shape = {1, 64, 1, 64};
  kernel(ppl::malloc<fp16>(&shape), ppl::malloc<fp16>(&shape));
}
