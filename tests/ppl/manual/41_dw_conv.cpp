#include "ppl.h"
using namespace ppl;
const int n = 10;
const int c = 10;
const int h = 33;
const int w = 33;
const int kh = 3;
const int kw = 3;
const int stride_h = 1;
const int stride_w = 1;
const int pad_t = 1;
const int pad_b = 1;
const int pad_l = 1;
const int pad_r = 2;
const int dh = 1;
const int dw = 1;
const int oh = (h + pad_t + pad_b - ((kh - 1) * dh + 1)) / stride_h + 1;
const int ow = (w + pad_l + pad_r - ((kw - 1) * dw + 1)) / stride_w + 1;
__KERNEL__ void depthwise2d_uint(uint32 *ptr_res, uint8 *ptr_in, uint8 *ptr_w,
                                 uint32 *ptr_b) {
  dim4 in_shape = {n, c, h, w};
  dim4 weight_shape = {1, c, kh, kw};
  dim4 bias_shape = {1, c, 1, 1};
  dim4 out_shape = {n, c, oh, ow};
  padding_t pad = {pad_t, pad_b, pad_l, pad_r};
  dim2 stride = {stride_h, stride_w};
  dim2 dilation = {1, 1};
  dim4 offset = {0, 0, 0, 0};
  dim2 kernel = {kh, kw};
  auto in = tensor<uint8>(in_shape);
  auto weight = tensor<uint8>(weight_shape);
  auto bias = tensor<uint32>(bias_shape);
  auto out = tensor<uint32>(out_shape);
  int pad_val = 0;
  uint8 rshift = 2;
  bool result_relu = false;
  rounding_mode_t round_mode = RM_TOWARDS_ZERO;
  auto in_g = gtensor<uint8>(in_shape, GLOBAL, ptr_in);
  auto in_w = gtensor<uint8>(weight_shape, GLOBAL, ptr_w);
  auto in_b = gtensor<uint32>(bias_shape, GLOBAL, ptr_b);
  auto out_g = gtensor<uint32>(out_shape, GLOBAL, ptr_res);
  dma::load(in, in_g);
  dma::load_compact(weight, in_w);
  dma::load_compact(bias, in_b);
  tiu::dw_conv(out, in, weight, bias, pad_val, &kernel, &pad, &stride,
               &dilation, rshift, result_relu, round_mode);
  dma::store(out_g, out);
}
