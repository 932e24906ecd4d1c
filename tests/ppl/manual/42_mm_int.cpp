#include "ppl.h"
using namespace ppl;
__KERNEL__ void mm_int32(int32 *ptr_res, int32 *ptr_left, int32 *ptr_right) {
  const int M = 64;
  const int K = 32;
  const int N = 96;
  const int l_cols_perchannel = 8;
  const int r_cols_perchannel = 8;
  dim4 left_tensor_shape = {M, K / l_cols_perchannel, 1, l_cols_perchannel};
  dim4 right_tensor_shape = {K, N / r_cols_perchannel, 1, r_cols_perchannel};
  dim4 res_tensor_shape = {M, N / r_cols_perchannel, 1, r_cols_perchannel};
  auto g_left = gtensor<int32>(left_tensor_shape, GLOBAL, ptr_left);
  auto g_right = gtensor<int32>(right_tensor_shape, GLOBAL, ptr_right);
  auto g_res = gtensor<int32>(res_tensor_shape, GLOBAL, ptr_res);
  auto left = tensor<int32>(left_tensor_shape);
  auto right = tensor<int32>(right_tensor_shape);
  auto res = tensor<int32>(res_tensor_shape);
  dma::load(left, g_left);
  dma::load(right, g_right);
  tiu::mm(res, left, right);
  dma::store(g_res, res);
}
