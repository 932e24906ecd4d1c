#include "ppl.h"
using namespace ppl;
__KERNEL__ void shift_int(uint32 *ptr_rst0, uint32 *ptr_rst1, uint32 *ptr_rst2,
                          uint32 *ptr_inp, int8 *ptr_sft0, int8 *ptr_sft1) {
  const int N = 1;
  const int C = 64;
  const int H = 16;
  const int W = 1;
  dim4 shape = {N, C, H, W};
  tensor<uint32> dst0, dst1, dst2, inp;
  tensor<int8> sft0, sft1;
  auto dst0_g = gtensor<uint32>(shape, GLOBAL, ptr_rst0);
  auto dst1_g = gtensor<uint32>(shape, GLOBAL, ptr_rst1);
  auto dst2_g = gtensor<uint32>(shape, GLOBAL, ptr_rst2);
  auto inp_g = gtensor<uint32>(shape, GLOBAL, ptr_inp);
  auto sft0_g = gtensor<int8>(shape, GLOBAL, ptr_sft0);
  auto sft1_g = gtensor<int8>(shape, GLOBAL, ptr_sft1);
  dma::load(inp, inp_g);
  dma::load(sft0, sft0_g);
  dma::load(sft1, sft1_g);
  tiu::shift(dst0, inp, sft0, RM_HALF_TO_EVEN);
  tiu::logical_shift(dst1, inp, 2, RM_HALF_TO_EVEN);
  tiu::circular_shift(dst2, inp, sft1, RM_DOWN);
  dma::store(dst0_g, dst0);
  dma::store(dst1_g, dst1);
  dma::store(dst2_g, dst2);
}
