#include "ppl.h"
using namespace ppl;
__KERNEL__ void cw_trans_int16(int16 *ptr_res, int16 *ptr_inp) {
  const int N = 8;
  const int C = 32;
  const int H = 16;
  const int W = 64;
  dim4 res_shape = {N, C, H, W};
  dim4 inp_shape = {N, W, H, C};
  auto inp = tensor<int16>(inp_shape);
  auto res = tensor<int16>(res_shape);
  dma::load(inp, ptr_inp);
  dma::load(res, ptr_res);
  tiu::transpose_cw(res, inp);
  dma::store(ptr_res, res);
}
