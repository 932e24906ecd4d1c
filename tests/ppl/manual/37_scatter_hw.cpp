#include "ppl.h"
using namespace ppl;
__KERNEL__ void scatter_hw_bf16(bf16 *ptr_output, bf16 *ptr_param,
                                uint16 *ptr_index) {
  const int N = 1;
  const int C = 1;
  const int H = 128;
  const int W = 128;
  const int param_h = 32;
  const int param_w = 64;
  dim4 output_shape = {N, C, H, W};
  dim4 param_shape = {N, C, param_h, param_w};
  dim4 index_shape = {1, param_h * param_w, 1, 2};
  auto param_gt = gtensor<bf16>(param_shape, GLOBAL, ptr_param);
  auto in_gt = gtensor<uint16>(index_shape, GLOBAL, ptr_index);
  auto out_gt = gtensor<bf16>(output_shape, GLOBAL, ptr_output);
  auto output = tensor<bf16>(output_shape);
  auto param = tensor<bf16>(param_shape);
  auto index = tensor<uint16>(index_shape);
  dma::load(output, out_gt);
  dma::load(param, param_gt);
  dma::load_compact(index, in_gt);
  tiu::scatter_hw(output, param, index);
  dma::store(out_gt, output);
}
