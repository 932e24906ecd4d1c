// A product is added to a tensor that was not set to 0.

#include "ppl/ppl.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 all = {1, 64, 1, 64};
  dim4 left = {1, 64, 1, 16}, right = {1, 16, 1, 64};
  tensor<fp16> a(left), b(right);
  tensor<float> sum(all);
  tiu::fill(a, fp16(1.0f));
  tiu::fill(b, fp16(1.0f));
  // refused: ppl::tiu::fmm2_nn: dst reads 4096 of 4096 elements that nothing
  // has written, the first at n 0, c 0, h 0, w 0, of the tensor made at
  // unwritten_sum.cpp:11, and results depend on them; load, fill or compute
  // all that is read
  tiu::fmm2(sum, a, b, sum, false, true, DT_FP32, false);
  dma::store(gtensor<float>(all, GLOBAL, out), sum);
}
#include "call_kernel.h"
