#include "ppl.h"
using namespace ppl;
__KERNEL__ void dma_nonzero_s2s_int16(int *ptr_dst, int16 *ptr_src) {
  int N = 1;
  int C = 1;
  int H = 11;
  int W = 8;
  dim4 shape = {N, C, H, W};
  unsigned int base_idx = 0;
  auto src_gt = gtensor<int16>(shape, GLOBAL, ptr_src);
  auto dst_gt = gtensor<int>(shape, GLOBAL, ptr_dst);
  unsigned int idx_num = dma::nonzero(dst_gt, src_gt, base_idx);
}
