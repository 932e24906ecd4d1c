#include "ppl.h"
using namespace ppl;
const int M = 400;
const int K = 100;
const int N = 200;
__KERNEL__ void mm_fp32(float *ptr_res, float *ptr_left, float *ptr_right,
                        int M, int K, int N) {
  const int block_m = 64;
  const int block_k = 32;
  const int block_n = 96;
  const int l_cols_perchannel = 8;
  const int r_cols_perchannel = 8;
  dim4 left_global_shape = {M, K / l_cols_perchannel, 1, l_cols_perchannel};
  dim4 right_global_shape = {K, N / r_cols_perchannel, 1, r_cols_perchannel};
  dim4 res_global_shape = {M, N / r_cols_perchannel, 1, r_cols_perchannel};
  auto left_gt = gtensor<float>(left_global_shape, GLOBAL, ptr_left);
  auto right_gt = gtensor<float>(right_global_shape, GLOBAL, ptr_right);
  auto res_gt = gtensor<float>(res_global_shape, GLOBAL, ptr_res);
  for (auto idx_m = 0; idx_m < M; idx_m += block_m) {
    for (auto idx_n = 0; idx_n < N; idx_n += block_n) {
      dim4 sum_shape = {block_m, block_n / r_cols_perchannel, 1,
                        r_cols_perchannel};
      auto psum = tensor<fp32>(sum_shape);
      int m = min(block_m, M - idx_m);
      int n = min(block_n, N - idx_n);
      for (auto idx_k = 0; idx_k < K; idx_k += block_k) {
        bool result_add = true;
        if (idx_k == 0) {
          result_add = false;
        }
        ppl::enable_pipeline();
        dim4 left_tensor_shape = {block_m, block_k / l_cols_perchannel, 1,
                                  l_cols_perchannel};
        dim4 right_tensor_shape = {block_k, block_n / r_cols_perchannel, 1,
                                   r_cols_perchannel};
        auto left = tensor<fp32>(left_tensor_shape);
        auto right = tensor<fp32>(right_tensor_shape);
        dim4 left_offset = {idx_m, idx_k / l_cols_perchannel, 0, 0};
        dim4 right_offset = {idx_k, idx_n / r_cols_perchannel, 0, 0};
        dma::load(left, left_gt.sub_view(left_tensor_shape, left_offset));
        dma::load(right, right_gt.sub_view(right_tensor_shape, right_offset));
        tiu::fmm(psum, left, right, result_add);
      }
      int res_row_stride = N;
      dim4 res_offset = {idx_m, idx_n / r_cols_perchannel, 0, 0};
      dma::store(res_gt.sub_view(sum_shape, res_offset), psum);
    }
  }
}
