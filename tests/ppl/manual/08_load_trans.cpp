#include "ppl.h"
using namespace ppl;
__KERNEL__ void dmaload_nc_trans_fp32(float *ptr_rst, float *ptr_inp) {
  const int N = 2;
  const int C = 4;
  const int H = 16;
  const int W = 32;
  const int N_ = 2;
  const int C_ = 5;
  const int H_ = 17;
  const int W_ = 32;
  dim4 src_shape = {N_, C_, H_, W_};
  dim4 dst_shape = {C, N, H, W};
  dim4 src_offset = {0, 1, 1, 0};
  tensor<float> src;
  auto src_gt = gtensor<float>(src_shape, GLOBAL, ptr_inp);
  transpose_mode_t trans_mode = NC_TRANS;
  dim4 src_sub_shape = {N, C, H, W};
  dma::load_transpose(src, src_gt.sub_view(src_sub_shape, src_offset),
                      trans_mode);
  auto dst_gt = gtensor<float>(dst_shape, GLOBAL, ptr_rst);
  dma::store(dst_gt, src);
}
