// ppl.h包含了PPL的核心功能和API
#include "ppl.h"
using namespace ppl;
// 定义常量,表示Tensor的各个维度
const int N = 1;
const int C = 64;
const int H = 32;
const int W = 16;
// 它接受三个指针参数 ptr dst、ptr src0 和 ptr src1,
__KERNEL__ void fp32_div(float *ptr_dst, float *ptr_src0, float *ptr_src1,
                         int numiter) {
  // 创建了1个dim4类型对象shape
  // 本例中global memory和local memory上的张量dst、src0和src1的shape相同,
  dim4 shape = {N, C, H, W};
  // 创建global memory上的张量
  auto src0_g = gtensor<float>(shape, GLOBAL, ptr_src0);
  // 创建local memory上的张量
  auto src0 = tensor<float>(shape);
  dma::load(src0, src0_g);
  auto src1_g = gtensor<float>(shape, GLOBAL, ptr_src1);
  auto src1 = tensor<float>(shape);
  dma::load(src1, src1_g);
  auto dst = tensor<float>(shape);
  // 这里执行除法操作的结果保存在local memory上的Tensor对象dst中,
  tiu::fdiv(dst, src0, src1, numiter);
  auto dst_g = gtensor<float>(shape, GLOBAL, ptr_dst);
  dma::store(dst_g, dst);
}

__TEST__ void test() {
  // global memory上张量的地址分配通过malloc函数进行,
  // 使用malloc函数需要提供所创建张量的类型和形状,
  dim4 shape = {N, C, H, W};
  auto dst = malloc<float>(&shape);
  auto src0 = malloc<float>(&shape);
  // rand函数用于给global memory上张量生成随机数据,
  rand(src0, &shape, -1.f, 1.f);
  auto src1 = malloc<float>(&shape);
  rand(src1, &shape, -1.f, 1.f);
  fp32_div(dst, src0, src1, 2);
}
