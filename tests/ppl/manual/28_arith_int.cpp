// 两个张量的元素相加
#include "ppl.h"
using namespace ppl;
const int N = 1;
const int C = 64;
const int H = 16;
const int W = 1;
__KERNEL__ void arith_int(int16 *rst_and, int *rst_sft, int16 *inp_1,
                          int16 *inp_2, int *inp, int *sft) {
  dim4 shape = {N, C, H, W};
  auto inp_gtensor_1 = gtensor<int16>(shape, GLOBAL, inp_1);
  auto inp_gtensor_2 = gtensor<int16>(shape, GLOBAL, inp_2);
  auto inp_gtensor = gtensor<int>(shape, GLOBAL, inp);
  auto sft_gtensor = gtensor<int>(shape, GLOBAL, sft);
  auto rst_and_gtensor = gtensor<int16>(shape, GLOBAL, rst_and);
  auto rst_sft_gtensor = gtensor<int>(shape, GLOBAL, rst_sft);
  auto inp_1_l = tensor<int16>(shape);
  auto inp_2_l = tensor<int16>(shape);
  auto rst_and_l = tensor<int16>(shape);
  auto inp_l = tensor<int>(shape);
  auto sft_l = tensor<int>(shape);
  auto rst_sft_l = tensor<int>(shape);
  auto rst_sub_l = tensor<int16>(shape);
  dma::load(inp_1_l, inp_gtensor_1);
  dma::load(inp_2_l, inp_gtensor_2);
  dma::load(inp_l, inp_gtensor);
  dma::load(sft_l, sft_gtensor);
  // tiu::bitwise and(rst and l, inp 1 l, inp 2 l);
  tiu::add(rst_and_l, inp_1_l, inp_1_l, 0, RM_DOWN, true);
  tiu::add(rst_and_l, rst_and_l, 1, 0, RM_DOWN, true);
  tiu::sub(rst_and_l, rst_and_l, inp_2_l, 0, RM_DOWN, true);
  tiu::sub(rst_and_l, 1, rst_and_l, 0, RM_DOWN, true);
  tiu::sub(rst_and_l, rst_and_l, 1, 0, RM_DOWN, true);
  tiu::mul(rst_and_l, rst_and_l, 2, 0, RM_DOWN, true);
  tiu::mul(rst_and_l, rst_and_l, inp_2_l, 0, RM_DOWN, true);
  tiu::shift(rst_sft_l, inp_l, sft_l, RM_HALF_TO_EVEN);
  dma::store(rst_and_gtensor, rst_and_l);
  dma::store(rst_sft_gtensor, rst_sft_l);
}
