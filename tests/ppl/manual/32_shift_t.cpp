#include "ppl.h"
using namespace ppl;
const int N = 1;
const int C = 64;
const int H = 16;
const int W = 1;
__KERNEL__ void arith_shift_int(int *ptr_rst, int *ptr_inp, int *ptr_sft) {
  dim4 shape = {N, C, H, W};
  auto dst = tensor<int>(shape);
  auto inp = tensor<int>(shape);
  auto sft = tensor<int>(shape);
  auto g_dst = gtensor<int>(shape, GLOBAL, ptr_rst);
  auto g_inp = gtensor<int>(shape, GLOBAL, ptr_inp);
  auto g_sft = gtensor<int>(shape, GLOBAL, ptr_sft);
  dma::load(inp, g_inp);
  dma::load(sft, g_sft);
  tiu::shift(dst, inp, sft, RM_HALF_TO_EVEN);
  dma::store(g_dst, dst);
}
