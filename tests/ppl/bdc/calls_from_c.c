/* The functions of ppl/tpu_bdc.h from C. */
#include "ppl/tpu_bdc.h"

void weft_test_call_from_c(void);

void weft_test_call_from_c(void) {
  dim4 row = {1, 1, 1, 16};
  tpu_bdc_load_fp32_sin_coeff(4096);
  tpu_bdc_fp32_sin(0, 256, 512, 4096, &row);
  tpu_bdc_sign(0, 256, &row, DT_FP32);
  tpu_bdc_fp32_tan(0, 0, 512, 4096, &row); /* refused: dst is src */
}
