#include "ppl.h"
using namespace ppl;
// 定义常量,表示Tensor的各个维度
const int N = 1;
const int C = 64;
const int H = 32;
const int W = 16;
// fp32 tunable div 函数是 PPL 编程的 KERNEL 代码主体
// 它接受三个指针参数 ptr dst、ptr src0 和 ptr src1,
// num iter 是提供给后端TPU指令 tpu bdc fp32 tunable div C 的参数,
__KERNEL__ void fp32_tunable_div(float *ptr_dst, float *ptr_src0,
                                 float *ptr_src1, int numiter) {
  // 创建 dim4 类型对象 src shape, 表示 Tensor 的形状
  dim4 src_shape = {N, C, H, W};
  // 创建3个 gtensor 对象,对应DDR地址 ptr dst、ptr src0、ptr src1上的数据
  auto g_src0 = gtensor<float>(src_shape, GLOBAL, ptr_src0);
  auto g_src1 = gtensor<float>(src_shape, GLOBAL, ptr_src1);
  auto g_dst = gtensor<float>(src_shape, GLOBAL, ptr_dst);
  auto src0 = tensor<float>(src_shape);
  auto src1 = tensor<float>(src_shape);
  auto dst = tensor<float>(src_shape);
  // 使用 dma::load 将 Global Memory 上的被除数和除数张量数据载入到
  // Local Memory 上的 Tensor 中
  dma::load(src0, g_src0);
  dma::load(src1, g_src1);
  // 使用 tiu::fdiv 进行张量元素间除法计算,
  // 将计算结果通过 dma::store 传入 Global Memory 上的结果张量中
  tiu::fdiv(dst, src0, src1, numiter);
  dma::store(g_dst, dst);
}
