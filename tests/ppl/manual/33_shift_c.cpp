// shift 为常数
#include "ppl.h"
using namespace ppl;
const int N = 1;
const int C = 64;
const int H = 16;
const int W = 1;
__KERNEL__ void arith_shift_C_int(int *ptr_rst, int *ptr_inp, int ch) {
  dim4 shape = {N, C, H, W};
  auto dst = tensor<int>(shape);
  auto src = tensor<int>(shape);
  auto g_dst = gtensor<int>(shape, GLOBAL, ptr_rst);
  auto g_inp = gtensor<int>(shape, GLOBAL, ptr_inp);
  dma::load(src, g_inp);
  tiu::shift(dst, src, ch, RM_HALF_TO_EVEN);
  dma::store(g_dst, dst);
}
