#include "ppl.h"
using namespace ppl;
__KERNEL__ void cast_to_f16(fp16 *ptr_rst, fp32 *ptr_inp) {
  const int N = 2;
  const int C = 8;
  const int H = 16;
  const int W = 32;
  dim4 src_shape = {N, C, H, W};
  auto inp = tensor<fp32>(src_shape);
  auto rst = tensor<fp16>(src_shape);
  auto g_inp = gtensor<fp32>(src_shape, GLOBAL, ptr_inp);
  auto g_rst = gtensor<fp16>(src_shape, GLOBAL, ptr_rst);
  dma::load(inp, g_inp);
  tiu::cast(rst, inp, RM_HALF_TO_EVEN);
  dma::store(g_rst, rst);
}
