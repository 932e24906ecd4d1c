#include "ppl.h"
using namespace ppl;
__KERNEL__ void tiuSetC_int8(int8 *ptr_res, int8 *ptr_src) {
  const int N = 2;
  const int C = 8;
  const int H = 64;
  const int W = 128;
  dim4 shape = {N, C, H, W};
  dim4 set_shape = {1, 4, 16, 32};
  dim4 src_stride = {C * H * W, H * W, W, 1};
  auto g_src = gtensor<int8>(shape, GLOBAL, ptr_src);
  auto g_res = gtensor<int8>(shape, GLOBAL, ptr_res);
  auto src = tensor<int8>(shape);
  auto set_sub_src = src.view(set_shape, src_stride);
  dma::load(src, g_src);
  tiu::fill(set_sub_src, 66);
  dma::store(g_res, src);
}
