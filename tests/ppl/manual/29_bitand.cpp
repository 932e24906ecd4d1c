#include "ppl.h"
using namespace ppl;
__KERNEL__ void bitwise_and_c_int8(int8 *ptr_res1, int8 *ptr_res2,
                                   int8 *ptr_left, int8 *ptr_right,
                                   int8 scalar_c) {
  const int N = 1;
  const int C = 64;
  const int H = 32;
  const int W = 16;
  dim4 inp_shape = {N, C, H, W};
  auto left = tensor<int8>(inp_shape);
  auto right = tensor<int8>(inp_shape);
  auto res1 = tensor<int8>(inp_shape);
  auto res2 = tensor<int8>(inp_shape);
  auto g_left = gtensor<int8>(inp_shape, GLOBAL, ptr_left);
  auto g_right = gtensor<int8>(inp_shape, GLOBAL, ptr_right);
  auto g_res1 = gtensor<int8>(inp_shape, GLOBAL, ptr_res1);
  auto g_res2 = gtensor<int8>(inp_shape, GLOBAL, ptr_res2);
  dma::load(left, g_left);
  dma::load(right, g_left);
  tiu::bitwise_and(res1, left, right);
  tiu::bitwise_and(res2, left, scalar_c);
  dma::store(g_res1, res1);
  dma::store(g_res2, res2);
}
__TEST__ void test() {
  dim4 shape = {1, 64, 32, 16};
  auto left = ppl::rand<int8>(&shape, -32, 32);
  auto right = ppl::rand<int8>(&shape, -32, 32);
  auto res1 = ppl::malloc<int8>(&shape);
  auto res2 = ppl::malloc<int8>(&shape);
  int8 scalar = 25;
  bitwise_and_c_int8(res1, res2, left, right, scalar);
}
