// A unary function on operands that start in different lanes.

#include "ppl/ppl.h"

#include "ppl/tpu_bdc.h"

using namespace ppl;

__KERNEL__ void kernel(float *) {
  dim4 shape = {1, 32, 1, 32};
  // refused: tpu_bdc_abs: dst starts at lane 1, byte 0, src starts at lane 2,
  // byte 0; all operands start in one lane
  tpu_bdc_abs(1 << 18, 2 << 18, &shape, nullptr, nullptr, DT_FP32);
}
__TEST__ void test() {
  dim4 shape = {1, 64, 1, 32};
  float *out = ppl::malloc<float>(&shape);
  kernel(out);
  expect(out, &shape, [](int64_t) { return 0; });
}
