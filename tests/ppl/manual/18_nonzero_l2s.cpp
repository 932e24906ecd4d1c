#include "ppl.h"
using namespace ppl;
__KERNEL__ void dma_nonzero_l2s_int8(int *ptr_dst, int8 *ptr_src) {
  int N = 1;
  int C = 1;
  int H = 11;
  int W = 8;
  dim4 shape = {N, C, H, W};
  dim4 offset = {0, 0, 0, 0};
  auto src = tensor<int8>(shape);
  unsigned int base_idx = 0;
  auto src_gt = gtensor<int8>(shape, GLOBAL, ptr_src);
  auto dst_gt = gtensor<int>(shape, GLOBAL, ptr_dst);
  dma::load(src, src_gt);
  unsigned int idx_num = dma::nonzero(dst_gt, src, base_idx);
}
