// transpose_cw gives rows that begin on EU boundaries.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  tensor<fp16> src({1, 100, 4, 20}), dst({1, 20, 4, 100}, TPU_ALIGN);
  // refused: ppl::tiu::transpose_cw: dst is N-byte aligned; the layout of dst
  // must be row aligned
  tiu::transpose_cw(dst, src);
}
#include "call_kernel.h"
