#include "ppl.h"
using namespace ppl;
__KERNEL__ void topk_f32(float *ptr_value, int *ptr_idx, float *ptr_data,
                         int *ptr_src_idx, const int K) {
  const int row = 80;
  set_block_num(1);
  int core_num = ppl::get_block_num();
  int core_idx = ppl::get_block_index();
  if (core_idx >= core_num) {
    return;
  }
  int row_slice = div_up(row, core_num);
  int row_offset = core_idx * row_slice;
  int real_row_slice = min(row_slice, (row - row_offset));
  const int len = 320;
  const bool descended = false;
  dim4 res_shape = {1, 1, 80, 80};
  dim4 inp_shape = {1, 1, 80, 320};
  auto gt_res = gtensor<float>(res_shape, GLOBAL, ptr_value);
  auto gt_res_idx = gtensor<int>(res_shape, GLOBAL, ptr_idx);
  auto gt_inp = gtensor<float>(inp_shape, GLOBAL, ptr_data);
  auto gt_inp_idx = gtensor<int>(inp_shape, GLOBAL, ptr_src_idx);
  dim4 real_inp_shape = {1, 1, real_row_slice, len};
  dim4 offset = {0, 0, row_offset, 0};
  dim4 real_res_shape = {1, 1, real_row_slice, K};
  hau::topk(gt_res.sub_view(real_res_shape, offset),
            gt_res_idx.sub_view(real_res_shape, offset),
            gt_inp.sub_view(real_inp_shape, offset),
            gt_inp_idx.sub_view(real_inp_shape, offset), true, K, descended);
}
