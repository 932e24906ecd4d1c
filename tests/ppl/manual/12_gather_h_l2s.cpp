#include "ppl.h"
using namespace ppl;
__KERNEL__ void gather_h_l2s_index_local_fp16(fp16 *ptr_output, fp16 *ptr_param,
                                              uint32 *ptr_index) {
  const int N = 1;
  const int C = 64;
  const int H = 64;
  const int W = 64;
  const int param_h = 128;
  set_block_num(1);
  int core_num = get_block_num();
  int core_idx = get_block_index();
  if (core_idx >= core_num) {
    return;
  }
  int c_slice = div_up(C, core_num);
  int c_offset = core_idx * c_slice;
  c_slice = max(c_slice, (C - c_slice * (core_num - 1)));
  dim4 output_shape0 = {N, C, H, W};
  dim4 output_shape1 = {N, c_slice, H, W};
  dim4 param_shape0 = {N, C, param_h, W};
  dim4 param_shape1 = {N, c_slice, param_h, W};
  dim4 index_shape0 = {N, C, H, 1};
  dim4 index_shape1 = {N, c_slice, H, 1};
  dim4 offset = {0, c_offset, 0, 0};
  auto output_g = gtensor<fp16>(output_shape0, GLOBAL, ptr_output);
  auto param = tensor<fp16>(param_shape1);
  auto param_g = gtensor<fp16>(param_shape0, GLOBAL, ptr_param);
  auto index = tensor<uint32>(index_shape1);
  auto index_g = gtensor<uint32>(index_shape0, GLOBAL, ptr_index);
  dma::load(param, param_g.sub_view(param_shape1, offset));
  dma::load(index, index_g.sub_view(index_shape1, offset));
  dma::gather_h(output_g.sub_view(output_shape1, offset), param, index, 1);
}
