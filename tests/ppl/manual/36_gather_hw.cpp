#include "ppl.h"
using namespace ppl;
__KERNEL__ void hgather_w_bf16(bf16 *ptr_output, bf16 *ptr_param,
                               uint16 *ptr_index) {
  const int N = 2;
  const int C = 2;
  const int H = 64;
  const int W = 64;
  const int param_h = 128;
  const int param_w = 256;
  set_block_num(1);
  int core_num = get_block_num();
  int core_idx = get_block_index();
  if (core_idx >= core_num) {
    return;
  }
  int c_slice = div_up(C, core_num);
  int c_offset = core_idx * c_slice;
  c_slice = max(c_slice, (C - c_slice * (core_num - 1)));
  dim4 output_global_shape = {N, C, H, W};
  dim4 output_shape = {N, c_slice, H, W};
  dim4 param_global_shape = {N, C, param_h, param_w};
  dim4 param_shape = {N, c_slice, param_h, param_w};
  dim4 index_shape = {1, H * W, 1, 2};
  dim4 offset = {0, c_offset, 0, 0};
  auto param_gt = gtensor<bf16>(param_global_shape, GLOBAL, ptr_param);
  auto in_gt = gtensor<uint16>(index_shape, GLOBAL, ptr_index);
  auto out_gt = gtensor<bf16>(output_global_shape, GLOBAL, ptr_output);
  auto output = tensor<bf16>(output_shape);
  auto param = tensor<bf16>(param_shape);
  auto index = tensor<uint16>(index_shape, false);
  dma::load(param, param_gt.sub_view(param_shape, offset));
  dma::load_compact(index, in_gt);
  tiu::gather_hw(output, param, index, param_h, param_w);
  dma::store(out_gt.sub_view(output_shape, offset), output);
}
