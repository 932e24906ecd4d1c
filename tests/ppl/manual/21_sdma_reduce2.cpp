#include "ppl.h"
using namespace ppl;
__KERNEL__ void reduce(fp32 *ptr_out, fp32 *ptr_in, int mode) {
  const int N = 1;
  const int C = 1;
  const int H = 1;
  const int W = 1;
  const int core_num = 8;
  set_block_num(core_num);
  auto index = get_block_index();
  dim4 in_shape = {N, C, H, W * core_num};
  dim4 in_core_shape = {N, C, H, W};
  dim4 out_shape = {N, C, H, W * core_num};
  auto in_global = gtensor<fp32>(in_shape, GLOBAL, ptr_in);
  auto out_global = gtensor<fp32>(out_shape, GLOBAL, ptr_out);
  auto out_l2 = gtensor<fp32>(out_shape, L2);
  auto in_local = tensor<fp32>(in_core_shape);
  dim4 in_offset = {0, 0, 0, index * W};
  dim4 out_offset = {0, 0, 0, index * W};
  dma::load(in_local, in_global.sub_view(in_core_shape, in_offset));
  dma::zero(out_l2);
  sync();
  sdma::reduce(out_l2.sub_view(in_core_shape, out_offset),
               in_global.sub_view(in_core_shape, in_offset),
               all_reduce_psum_t ::ALL_REDUCE_PSUM_WO,
               (all_reduce_opcode_t)mode);
  sync();
  sdma::move(out_global, out_l2);
}
