// 比较张量的元素是否大于另一个张量的元素
#include "ppl.h"
using namespace ppl;
__KERNEL__ void greater_bf16(fp16 *ptr_res, fp16 *ptr_left, fp16 *ptr_right,
                             int W) {
  const int block_w = 512;
  float true_val = 1;
  dim4 shape = {1, 1, 1, W};
  auto l_gtensor = gtensor<fp16>(shape, GLOBAL, ptr_left);
  auto r_gtensor = gtensor<fp16>(shape, GLOBAL, ptr_right);
  auto res_gtensor = gtensor<fp16>(shape, GLOBAL, ptr_res);
  for (auto idx_w = 0; idx_w < W; idx_w += block_w) {
    enable_pipeline();
    dim4 tensor_shape = {1, 1, 1, block_w};
    auto left = tensor<fp16>(tensor_shape);
    auto right = tensor<fp16>(tensor_shape);
    auto res = tensor<fp16>(tensor_shape);
    int w = min(block_w, W - idx_w);
    dim4 local_shape = {1, 1, 1, w};
    dim4 stride = {1, 1, W, 1};
    dim4 offset = {0, 0, 0, idx_w};
    dma::load(left, l_gtensor.sub_view(local_shape, offset));
    dma::load(right, r_gtensor.sub_view(local_shape, offset));
    tiu::gt(res, left, right, true_val);
    dma::store(res_gtensor.sub_view(local_shape, offset), res);
  }
}
