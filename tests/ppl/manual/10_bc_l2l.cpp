#include "ppl.h"
using namespace ppl;
__KERNEL__ void dmaload_bc_L2L_fp32(float *ptr_rst, float *ptr_inp) {
  const int N = 22;
  const int C = 62;
  const int H = 23;
  const int W = 14;
  dim4 src_shape = {N, 1, H, W};
  dim4 dst_shape = {N, C, H, W};
  auto src = tensor<float>(src_shape);
  auto dst = tensor<float>(dst_shape);
  auto in_gt = gtensor<float>(src_shape, GLOBAL, ptr_inp);
  auto rst_gt = gtensor<float>(dst_shape, GLOBAL, ptr_rst);
  dma::load(src, in_gt);
  dma::broadcast(dst, src);
  dma::store(rst_gt, dst);
}
