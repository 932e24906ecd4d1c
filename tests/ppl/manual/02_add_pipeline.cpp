#include "ppl.h" // PPL 代码依赖的头文件
using namespace ppl;
#ifndef BLOCK_NUM
#define BLOCK_NUM 2
#endif
__KERNEL__ void add_pipeline(fp16 *ptr_res, fp16 *ptr_inp, int W) {
  // 在TPU上运行的主函数需要加上 KERNEL 关键字
  // 在多核 (bm1690等) 上运行的主函数调用 ppl::set block num来设置使用的核数量
  const int N = 1;
  const int C = 64;
  const int H = 1;
  ppl::set_block_num(BLOCK_NUM);          // 设置当前程序运行使用的总的核数量
  int block_num = ppl::get_block_num();   // 获取当前程序运行使用的总的核数量
                                          // int block num = 6;
                                          // ppl::set_block num(block num);
                                          // 设置当前程序运行使用的总的核数量
  int block_idx = ppl::get_block_index(); // 获取当前是在哪个核上运行
  if (block_idx >= block_num) {
    return;
  }
  assert(W > 0);
  dim4 global_shape = {N, C, H, W};
  // 使用tensor封装global memory上的数据
  auto in_gtensor = gtensor<fp16>(global_shape, GLOBAL, ptr_inp);
  auto res_gtensor = gtensor<fp16>(global_shape, GLOBAL, ptr_res);
  int slice = div_up(W, block_num);
  // 计算每个核上处理的 W size
  int cur_slice =
      min(slice, (W - slice * block_idx)); // 计算当前核上处理的 W size
  int slice_offset = block_idx * slice; // 计算当前核处理的数据在 ddr 上的偏移
  int block_w = 128;
  // 定义单个核上,每次循环处理的 W block size
  dim4 block_shape = {N, C, H, block_w}; // 定义单次循环处理的数据 shape
  // 申请 tpu local memory 上的内存,由于 PPL 是在编译期计算 local memory 大小,
  // 所以 tensor 初始化的 shape 的值在编译期必须是常量
  tensor<fp16> in_tensor, res;
  float scalar_c = 0.25;
  for (int w_idx = 0; w_idx < cur_slice; w_idx += block_w) {
    // 开启 PPL 自动流水并行优化
    enable_pipeline();
    int tile_w = min(block_w, cur_slice - w_idx); // 当前循环需要处理的 W 尺寸
    dim4 cur_shape = {N, C, H, tile_w};           // 当前循环的输入数据 shape
    dim4 offset = {0, 0, 0,
                   slice_offset + w_idx}; // 当前需要计算的数据在 ddr 上的偏移
    dma::load(
        in_tensor,
        in_gtensor.sub_view(cur_shape, offset)); // 从 ddr 上 load 数据到 tpu 上
    tiu::fadd(res, in_tensor, scalar_c);         // 做加法
    dma::store(res_gtensor.sub_view(cur_shape, offset),
               res); // 将数据从 local mem 到 ddr
  }
}
__TEST__ void add_pipeline_main() {
  const int N = 1;
  const int C = 64;
  const int H = 1;
  int W = 4096;
  dim4 shape = {N, C, H, W};
  fp16 *res = rand<fp16>(&shape);
  fp16 *inp = rand<fp16>(&shape, -32.21f, 32.32f);
  add_pipeline(res, inp, W);
  // 使用 6 个核运行核函数
}
