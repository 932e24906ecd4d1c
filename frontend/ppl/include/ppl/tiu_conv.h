//===- tiu_conv.h - TIU functions: convolution ----------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_CONV_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_CONV_H

#include "ppl/tiu_comparison.h"
#include "ppl/tiu_conv_rows.h"
#include "ppl/tiu_quant.h"

/// PPL 4.6.4. Weights of the convolutions over all channels are packed,
/// compact [1, oc, ceil(ic / NIC) * kh * kw, NIC] with NIC = get_nic<T>();
/// those of depthwise convolutions are compact [1, c, kh, kw]. `None` is no
/// bias. The manual and its newer header put stride, dilation and pad in
/// different orders; both are there, told apart by the types of the pointers.
/// Here are the functions that are more than a call.
namespace ppl::tiu {

template <class D, class S>
void fdeconv(const tensor<D> &dst, const tensor<S> &src, detail::Operand weight,
             detail::Operand bias, int oc, detail::Pair k_shape,
             detail::Pair insert, detail::Sides pad, detail::Pair dilation,
             bool result_add, bool out32, Line at = {}) {
  fdeconv(dst, src, weight, bias, oc, k_shape, insert, pad, dilation,
          result_add, out32 ? DT_FP32 : DT_NONE, true, at);
}
template <class T>
void fdw_conv(const tensor<T> &output, const tensor<T> &input,
              detail::Operand weight, detail::Operand bias,
              detail::Pair k_shape, detail::Pair stride, detail::Pair dilation,
              detail::Sides pad, bool has_bias = true, Line at = {}) {
  fdw_conv(output, input, weight, has_bias ? bias : detail::kLeftOut, k_shape,
           pad, stride, dilation, at);
}

/// `kernel_is_const`: weight is a number. It is told from a tensor anyway.
template <class T>
void fdw_deconv(const tensor<T> &dst, const tensor<T> &src,
                detail::Operand weight, detail::Operand bias,
                detail::Pair k_shape, detail::Pair insert, detail::Sides pad,
                detail::Pair dilation, bool /*kernel_is_const*/, Line at = {}) {
  fdw_deconv(dst, src, weight, bias, k_shape, insert, pad, dilation, at);
}
/// `out_dtype` is that of dst.
template <class T>
void fdw_deconv(const tensor<T> &dst, const tensor<T> &src,
                detail::Operand weight, detail::Operand bias,
                detail::Pair k_shape, detail::Pair insert, detail::Sides pad,
                detail::Pair dilation, detail::Coded<data_type_t> /*out_dtype*/,
                bool has_bias = true, Line at = {}) {
  fdw_deconv(dst, src, weight, has_bias ? bias : detail::kLeftOut, k_shape,
             insert, pad, dilation, at);
}

/// The words of a channel in one number: multiplier in bits 31..0, shift in
/// 39..32, zero point in 55..40.
template <class D, class S>
void conv_sym_rq(const tensor<D> &dst, const tensor<S> &src,
                 detail::Operand weight, detail::Operand bias, int oc,
                 detail::Pair k_shape, detail::Pair stride,
                 detail::Pair dilation, detail::Sides pad, bool result_relu,
                 uint64 requant, bool saturate = false,
                 detail::Coded<rounding_mode_t> round = RM_HALF_UP,
                 bool kernel_rotate = false, Line at = {}) {
  conv_sym_rq(dst, src, weight, bias, oc, k_shape, stride, dilation, pad,
              result_relu, int32(uint32(requant)), int8(uint8(requant >> 32)),
              int16(uint16(requant >> 40)), saturate, round, kernel_rotate, at);
}
template <class D, class S>
void conv_asym_rq(const tensor<D> &dst, const tensor<S> &src,
                  detail::Operand weight, detail::Operand bias, int oc,
                  detail::Pair k_shape, detail::Pair stride,
                  detail::Pair dilation, detail::Sides pad,
                  detail::Operand pad_val, bool result_add,
                  detail::Coded<data_type_t> out_dtype, bool has_bias,
                  detail::Operand kzp, uint64 requant, bool saturate = false,
                  detail::Coded<rounding_mode_t> round = RM_HALF_UP,
                  bool kernel_rotate = false, Line at = {}) {
  conv_asym_rq(dst, src, weight, bias, oc, k_shape, stride, dilation, pad,
               pad_val, result_add, out_dtype, has_bias, kzp,
               int32(uint32(requant)), int8(uint8(requant >> 32)),
               int16(uint16(requant >> 40)), saturate, round, kernel_rotate,
               at);
}

/// dw_conv to 32 bits, relu and rq1: dst starts in lane 0, an operand is
/// signed. rshift is negative to the right.
template <class D, class S>
void dw_conv_rq(const tensor<D> &dst, const tensor<S> &src,
                detail::Operand weight, detail::Operand bias, int pad_val,
                detail::Pair k_shape, detail::Pair stride,
                detail::Pair dilation, detail::Sides pad, bool result_relu,
                int multiplier, int8 rshift, short out_zp,
                detail::Coded<rounding_mode_t> round = RM_HALF_UP,
                Line at = {}) {
  tensor<int32> sums(dst.getShape(), TPU_ALIGN, -1, at);
  dw_conv(sums, src, weight, bias, pad_val, k_shape, pad, stride, dilation, 0,
          false, RM_HALF_UP, at);
  if (result_relu)
    max(sums, sums, 0, at);
  rq1(dst, sums, multiplier, rshift, out_zp, round, at);
}

} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_CONV_H
