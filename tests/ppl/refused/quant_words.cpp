// BM1684X takes three words a channel.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  tensor<int8> dst({1, 64, 4, 8});
  tensor<int> src({1, 64, 4, 8}), quant({1, 64, 1, 2}, TPU_COMPACT);
  // refused: ppl::tiu::rq1: quant has 2 on axis w, must have 3; quant must have
  // shape 1xcx1x3 and be N-byte aligned on bm1684x
  tiu::rq1(dst, src, quant, RM_HALF_UP);
}
#include "call_kernel.h"
