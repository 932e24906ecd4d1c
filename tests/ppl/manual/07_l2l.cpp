#include "ppl.h"
using namespace ppl;
__KERNEL__ void l2l_fp32(float *ptr_rst, float *ptr_inp) {
  const int N = 1;
  const int C = 64;
  const int H = 16;
  const int W = 1;
  dim4 src_shape = {N, C, H, W};
  dim4 dst_shape = {N, C, H, W};
  auto src = tensor<float>(src_shape);
  auto dst = tensor<float>(dst_shape);
  auto in_gt = gtensor<fp32>(src_shape, GLOBAL, ptr_inp);
  auto out_gt = gtensor<fp32>(dst_shape, GLOBAL, ptr_rst);
  auto in = tensor<fp32>(src_shape);
  auto out = tensor<fp32>(dst_shape);
  dma::load(in, in_gt);
  dma::move(out, in);
  dma::store(out_gt, out);
}
