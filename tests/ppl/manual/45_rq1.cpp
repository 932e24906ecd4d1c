#include "ppl.h"
using namespace ppl;
const int N = 200;
const int C = 20;
const int H = 20;
const int W = 20;
__KERNEL__ void rq_int_int16_int16(int16 *ptr_output, int16 *ptr_input) {
  set_block_num(1);
  int core_num = get_block_num();
  int core_idx = get_block_index();
  if (core_idx >= core_num) {
    return;
  }
  int n_slice = div_up(N, core_num);
  int n_offset = core_idx * n_slice;
  int real_n_slice = min(n_slice, (N - n_offset));
  int multiplier = 10;
  int shift = 5;
  int offset = 10;
  dim4 max_inp_shape = {n_slice, C, H, W};
  dim4 inp_shape = {real_n_slice, C, H, W};
  dim4 inp_stride = {C * H * W, H * W, W, 1};
  dim4 inp_offset = {n_offset, 0, 0, 0};
  rounding_mode_t round_mode = RM_TOWARDS_ZERO;
  auto input = make_tensor<int16>(max_inp_shape, inp_shape);
  auto output = make_tensor<int16>(max_inp_shape, inp_shape);
  dma::load(input, ptr_input, &inp_offset, &inp_stride);
  tiu::rq1(output, input, multiplier, shift, offset, round_mode);
  dma::store(ptr_output, output, &inp_offset, &inp_stride);
}
