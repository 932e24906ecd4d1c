#include "ppl.h"
using namespace ppl;
__KERNEL__ void dmaload_fp32(float *ptr_dst, float *ptr_src) {
  const int N = 1;
  const int C = 64;
  const int H = 32;
  const int W = 16;
  dim4 shape = {N, C, H, W};
  auto src_gt = gtensor<float>(shape, GLOBAL, ptr_src);
  auto dst = tensor<float>(shape);
  dma::load(dst, src_gt);
  dma::store(gtensor<float>(shape, GLOBAL, ptr_dst), dst);
}
