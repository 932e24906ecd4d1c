// The vector engine reaches no global memory.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  gtensor<float> from(all, GLOBAL, out);
  tensor<float> x(all);
  // refused: ppl::tiu::fadd: src0 lies in global memory, must be in local
  detail::call("tiu.fadd", {}, {x, from, 1.0f});
}
#include "call_kernel.h"
