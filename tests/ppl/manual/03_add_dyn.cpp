#include "ppl.h"
using namespace ppl;
// block w 必须添加 const 关键字修饰
__KERNEL__ void add(fp16 *ptr_res, fp16 *ptr_inp, int W, const int block_w) {
  const int N = 1;
  const int C = 64;
  const int H = 1;
  ppl::set_block_num(6);
  int core_num = ppl::get_block_num();
  int core_idx = ppl::get_block_index();
  if (core_idx >= core_num) {
    return;
  }
  int slice = div_up(W, core_num);
  int cur_slice = min(slice, (W - slice * core_idx));
  int slice_offset = core_idx * slice;

  dim4 global_stride = {C * H * W, H * W, W, 1};
  dim4 block_shape = {N, C, H, block_w};
  auto in_tensor = tensor<fp16>(block_shape);
  auto res = tensor<fp16>(block_shape);
  float scalar_c = 0.25;
  for (int w_idx = 0; w_idx < cur_slice; w_idx += block_w) {
    enable_pipeline();
    int tile_w = min(block_w, cur_slice - w_idx);
    dim4 cur_shape = {N, C, H, tile_w};
    auto cur_tensor = in_tensor.view(cur_shape);
    auto cur_res = res.view(cur_shape);
    dim4 offset = {0, 0, 0, slice_offset + w_idx};
    dma::load(cur_tensor, ptr_inp, &offset, &global_stride);
    tiu::fadd(cur_res, cur_tensor, scalar_c);
    dma::store(ptr_res, cur_res, &offset, &global_stride);
  }
}
