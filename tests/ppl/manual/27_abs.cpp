#include "ppl.h"
using namespace ppl;
__KERNEL__ void abs_bf16(bf16 *ptr_res, bf16 *ptr_inp) {
  const int N = 1;
  const int C = 64;
  const int H = 32;
  const int W = 16;
  dim4 inp_shape = {N, C, H, W};
  auto g_inp = gtensor<bf16>(inp_shape, GLOBAL, ptr_inp);
  auto g_res = gtensor<bf16>(inp_shape, GLOBAL, ptr_res);
  auto inp = tensor<bf16>(inp_shape);
  auto res = tensor<bf16>(inp_shape);
  dma::load(inp, g_inp);
  tiu::abs(res, inp);
  dma::store(g_res, res);
}
