// mask 是 local mem 上的张量
#include "ppl.h"
using namespace ppl;
const int N = 16;
const int C = 65;
const int H = 31;
const int W = 32;
__KERNEL__ void MaskSelectL2S_bf16(bf16 *ptr_res, bf16 *ptr_inp,
                                   int *ptr_mask) {
  dim4 inp_shape = {N, C, H, W};
  auto g_inp = gtensor<bf16>(inp_shape, GLOBAL, ptr_inp);
  auto g_res = gtensor<bf16>(inp_shape, GLOBAL, ptr_res);
  auto g_mask = gtensor<int>(inp_shape, GLOBAL, ptr_mask);
  auto inp = tensor<bf16>(inp_shape);
  dma::load(inp, g_inp);
  auto mask = tensor<int>(inp_shape);
  dma::load(mask, g_mask);
  dma::mask(g_res, inp, mask);
}
