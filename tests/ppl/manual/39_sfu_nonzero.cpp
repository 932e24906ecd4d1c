#include "ppl.h"
using namespace ppl;
__KERNEL__ void sfu_kernel(bf16 *ptr_rsqrt_res, int16 *ptr_norm_res,
                           int16 *ptr_idx_res, uint16 *ptr_cnt_res,
                           uint16 *ptr_clz_res, uint16 *ptr_clo_res,
                           bf16 *ptr_inp) {
  const int N = 32;
  const int C = 64;
  const int H = 1;
  const int W = 16;
  dim4 shape = {N, C, H, W};
  dim4 shape_cnt = {N, C, H, 1};
  tensor<bf16> rsqrt_res;
  tensor<int16> norm_res, sub_res, idx_res;
  tensor<uint16> cnt_res, clz_res, clo_res;
  tensor<bf16> inp;
  auto inp_g = gtensor<bf16>(shape, GLOBAL, ptr_inp);
  auto rsqrt_res_g = gtensor<bf16>(shape, GLOBAL, ptr_rsqrt_res);
  auto norm_res_g = gtensor<int16>(shape, GLOBAL, ptr_norm_res);
  auto idx_res_g = gtensor<int16>(shape, GLOBAL, ptr_idx_res);
  auto cnt_res_g = gtensor<uint16>(shape_cnt, GLOBAL, ptr_cnt_res);
  auto clz_res_g = gtensor<uint16>(shape, GLOBAL, ptr_clz_res);
  auto clo_res_g = gtensor<uint16>(shape, GLOBAL, ptr_clo_res);
  dma::load(inp, inp_g);
  tiu::frsqrt(rsqrt_res, inp, 3);
  dma::store(rsqrt_res_g, rsqrt_res);
  tiu::norm(norm_res, rsqrt_res);
  dma::store(norm_res_g, norm_res);
  tiu::sub(sub_res, norm_res, 131, 0, RM_HALF_TO_EVEN, false);
  tiu::nonzero(idx_res, cnt_res, sub_res);
  dma::store(idx_res_g, idx_res);
  dma::store(cnt_res_g, cnt_res);
  tiu::clz(clz_res, norm_res);
  tiu::clo(clo_res, norm_res);
  dma::store(clz_res_g, clz_res);
  dma::store(clo_res_g, clo_res);
}
