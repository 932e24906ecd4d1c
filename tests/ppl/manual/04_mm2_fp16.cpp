#include "ppl.h"
using namespace ppl;
__KERNEL__ void mm2_fp16(fp16 *ptr_res, fp16 *ptr_left, fp16 *ptr_right, int M,
                         int K, int N) {
  const int block_m = 128;
  const int block_k = 256;
  const int block_n = 256;
  dim4 res_global_shape = {1, M, 1, N};
  dim4 left_global_shape = {1, M, 1, K};
  dim4 right_global_shape = {1, K, 1, N};
  auto res_gtensor = gtensor<fp16>(res_global_shape, GLOBAL, ptr_res);
  auto left_gtensor = gtensor<fp16>(left_global_shape, GLOBAL, ptr_left);
  auto right_gtensor = gtensor<fp16>(right_global_shape, GLOBAL, ptr_right);
  dim4 res_max_shape = {1, block_m, 1, block_n};
  dim4 left_max_shape = {1, block_m, 1, block_k};
  dim4 right_max_shape = {1, block_k, 1, block_n};
  tensor<fp16> res_fp16;
  for (auto idx_m = 0; idx_m < M; idx_m += block_m) {
    for (auto idx_n = 0; idx_n < N; idx_n += block_n) {
      int m = min(block_m, M - idx_m);
      int n = min(block_n, N - idx_n);
      dim4 res_shape = {1, m, 1, n};
      auto sub_res = make_tensor<fp32>(res_max_shape, res_shape);
      tiu::zero(sub_res);
      for (auto idx_k = 0; idx_k < K; idx_k += block_k) {
        enable_pipeline();
        int k = min(block_k, K - idx_k);
        dim4 left_max_shape = {1, block_m, 1, block_k};
        dim4 right_max_shape = {1, block_k, 1, block_n};
        dim4 left_real_shape = {1, m, 1, k};
        dim4 right_real_shape = {1, k, 1, n};
        tensor<fp16> sub_left, sub_right;
        dim4 left_offset = {0, idx_m, 0, idx_k};
        dim4 right_offset = {0, idx_k, 0, idx_n};
        dma::load(sub_left,
                  left_gtensor.sub_view(left_real_shape, left_offset));
        dma::load(sub_right,
                  right_gtensor.sub_view(right_real_shape, right_offset));
        tiu::fmm2(sub_res, sub_left, sub_right, true, true);
      }
      tiu::cast(res_fp16, sub_res);
      dim4 res_offset = {0, idx_m, 0, idx_n};
      dma::store(res_gtensor.sub_view(res_shape, res_offset), res_fp16);
    }
  }
}
