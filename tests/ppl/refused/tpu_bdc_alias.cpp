// A unary function with src where it must not lie.

#include "ppl/ppl.h"

#include "ppl/tpu_bdc.h"

using namespace ppl;

__KERNEL__ void kernel(float *out) {
  dim4 shape = {1, 64, 1, 32};
  tpu_bdc_load_fp32_tan_coeff(0x1000);
  // refused: tpu_bdc_fp32_tan: dst and src are one buffer (byte 0 of a lane);
  // give src a place of its own
  tpu_bdc_fp32_tan(0, 0, 256, 0x1000, &shape);
  tensor<float> dst(shape, TPU_ALIGN, 0);
  dma::store(gtensor<float>(shape, GLOBAL, out), dst);
}
__TEST__ void test() {
  dim4 shape = {1, 64, 1, 32};
  float *out = ppl::malloc<float>(&shape);
  kernel(out);
  expect(out, &shape, [](int64_t) { return 0; });
}
