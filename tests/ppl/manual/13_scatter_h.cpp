// dst 数据类型是 gtensor, param 数据类型是 tensor, index 数据类型是 gtensor
#include "ppl.h"
using namespace ppl;
__KERNEL__ void scatter_h_l2s_index_global_int16(int16 *ptr_output,
                                                 int16 *ptr_param,
                                                 uint32 *ptr_index) {
  const int N = 1;
  const int C = 64;
  const int H = 128;
  const int W = 64;
  const int param_h = 20;
  dim4 output_shape = {N, C, H, W};
  dim4 param_shape = {N, C, param_h, W};
  dim4 index_shape = {N, C, param_h, 1};
  auto output_g = gtensor<int16>(output_shape, GLOBAL, ptr_output);
  auto param = tensor<int16>(param_shape);
  auto param_g = gtensor<int16>(param_shape, GLOBAL, ptr_param);
  auto index_g = gtensor<uint32>(index_shape, GLOBAL, ptr_index);
  dma::load(param, param_g);
  dma::scatter_h(output_g, param, index_g);
}
