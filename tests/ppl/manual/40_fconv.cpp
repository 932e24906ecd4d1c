#include "ppl.h"
using namespace ppl;
__KERNEL__ void conv_fp16(fp16 *ptr_res, fp16 *ptr_in, fp16 *ptr_w,
                          float *ptr_b) {
  int n = 1;
  int c = 16;
  int h = 48;
  int w = 48;
  int oc = 128;
  int kh = 3;
  int kw = 3;
  int stride_h = 1;
  int stride_w = 1;
  int pad_t = 1;
  int pad_b = 1;
  int pad_l = 1;
  int pad_r = 1;
  int oh = (h - kh + pad_t + pad_b) / stride_h + 1; // 计算输出特征图的高度
  int ow = (w - kw + pad_l + pad_r) / stride_w + 1; // 计算输出特征图的宽度
  int data_size = sizeof(fp16);
  int ws_w = LANE_NUM / data_size;
  int ws_h = div_up(c, LANE_NUM / data_size) * kh * kw;
  int ws_c = div_up(oc, LANE_NUM);
}
