#include "ppl.h"
using namespace ppl;
__KERNEL__ void dmaload_bc_fp32(float *ptr_rst, float *ptr_inp) {
  const int N = 1;
  const int C = 1;
  const int H = 16;
  const int W = 1;
  dim4 src_shape = {N, C, H, W};
  dim4 dst_shape = {N, LANE_NUM, H, W};
  auto src_gt = gtensor<float>(src_shape, GLOBAL, ptr_inp);
  auto dst_gt = gtensor<float>(dst_shape, GLOBAL, ptr_rst);
  auto src = tensor<float>(dst_shape);
  dma::load_broadcast(src, src_gt);
  dma::store(dst_gt, src);
}
