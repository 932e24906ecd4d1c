#include "ppl.h"
using namespace ppl;
__KERNEL__ void topk_int32(int32 *ptr_dst, int32 *ptr_src) {
  const int row = 66;
  const int len = 320;
  const int K = 16;
  dim4 dst_shape = {1, 1, row, K};
  dim4 src_shape = {1, 1, row, len};
  auto gt_dst = gtensor<int32>(dst_shape, GLOBAL, ptr_dst);
  auto gt_src = gtensor<int32>(src_shape, GLOBAL, ptr_src);
  set_block_num(1);
  int core_num = ppl::get_block_num();
  int core_idx = ppl::get_block_index();
  if (core_idx >= core_num) {
    return;
  }
  int row_slice = div_up(row, core_num);
  int row_offset = core_idx * row_slice;
  int real_row_slice = min(row_slice, (row - row_offset));
  const bool descended = true;
  dim4 split_dst_shape = {1, 1, real_row_slice, K};
  dim4 split_src_shape = {1, 1, real_row_slice, len};
  dim4 split_offset = {0, 0, row_offset, 0};
  hau::topk(gt_dst.sub_view(split_dst_shape, split_offset),
            gt_src.sub_view(split_src_shape, split_offset), true, K, descended);
}
