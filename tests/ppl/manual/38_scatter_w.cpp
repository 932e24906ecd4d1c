#include "ppl.h"
using namespace ppl;
__KERNEL__ void scatter_w_bf16(bf16 *ptr_output, bf16 *ptr_param,
                               uint8 *ptr_index) {
  const int N = 64;
  const int C = 64;
  const int H = 1;
  const int W = 256;
  const int param_w = 64;
  dim4 output_shape = {N, C, H, W};
  dim4 output_stride = {C * H * W, H * W, W, 1};
  dim4 param_shape = {N, C, H, param_w};
  dim4 param_stride = {C * H * param_w, H * param_w, param_w, 1};
  dim4 index_shape = {1, param_w, 1, 1};
  dim4 index_stride = {param_w, 1, 1, 1};
  dim4 offset = {0, 0, 0, 0};
  // Note: the w dim of output is decided by the max value of index,
  //  can't static inference
  auto output = tensor<bf16>(output_shape);
  tensor<bf16> param;
  tensor<uint8> index;
  auto o_gt = gtensor<bf16>(output_shape, GLOBAL, ptr_output);
  auto param_gt = gtensor<bf16>(param_shape, GLOBAL, ptr_param);
  auto index_gt = gtensor<uint8>(index_shape, GLOBAL, ptr_index);
  dma::load(output, o_gt);
  dma::load(param, param_gt);
  dma::load_compact(index, index_gt);
  tiu::scatter_w(output, param, index);
  dma::store(o_gt, output);
}
