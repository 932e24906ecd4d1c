#include "ppl.h"
using namespace ppl;
__KERNEL__ void rq_fp_int8_uint16(int8 *ptr_output, uint16 *ptr_input) {
  const int N = 20;
  const int C = 20;
  const int H = 20;
  const int W = 20;
  dim4 inp_shape = {N, C, H, W};
  float scale = 0.5;
  float offset = 0.5;
  rounding_mode_t output_round_mode = RM_TOWARDS_ZERO;
  rounding_mode_t input_round_mode = RM_TOWARDS_ZERO;
  tensor<uint16> input;
  tensor<int8> output;
  auto in_gt = gtensor<uint16>(inp_shape, GLOBAL, ptr_input);
  auto out_gt = gtensor<int8>(inp_shape, GLOBAL, ptr_output);
  dma::load(input, in_gt);
  tiu::rq0(output, input, scale, offset, output_round_mode, input_round_mode);
  dma::store(out_gt, output);
}
