//===- tiu_conv.h - TIU functions: convolution ----------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_CONV_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_CONV_H

#include "ppl/tiu_window.h"

/// PPL 4.6.4. Weights of the convolutions over all channels are packed,
/// compact [1, oc, ceil(ic / NIC) * kh * kw, NIC] with NIC = get_nic<T>();
/// those of depthwise convolutions are compact [1, c, kh, kw]. `None` is no
/// bias. The manual and its newer header put stride, dilation and pad in
/// different orders; both are here, told apart by the types of the pointers.
namespace ppl::tiu {

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

template <class D, class S>
void fconv(const tensor<D> &dst, const tensor<S> &src, detail::Operand weight,
           detail::Operand bias, int oc, detail::Pair k_shape,
           detail::Pair stride, detail::Pair dilation, detail::Sides pad,
           bool result_add = false, data_type_t out_dtype = DT_NONE,
           bool has_bias = true, Line at = {}) {
  detail::call("tiu.fconv", at,
               {dst, src, weight, bias, oc, k_shape, stride, dilation, pad,
                result_add, out_dtype, has_bias});
}
/// All weights are one number.
template <class D, class S>
void fconv(const tensor<D> &dst, const tensor<S> &src, float weight_C, int oc,
           detail::Pair k_shape, detail::Sides pad, detail::Pair stride,
           detail::Pair dilation, bool result_add = false,
           data_type_t out_dtype = DT_NONE, Line at = {}) {
  detail::call("tiu.fconv", at,
               {dst, src, weight_C, detail::kLeftOut, oc, k_shape, stride,
                dilation, pad, result_add, out_dtype});
}
template <class D, class S>
void fconv(const tensor<D> &dst, const tensor<S> &src, float weight_C, int oc,
           detail::Pair k_shape, detail::Pair stride, detail::Pair dilation,
           detail::Sides pad, bool result_add = false,
           data_type_t out_dtype = DT_NONE, Line at = {}) {
  fconv(dst, src, weight_C, oc, k_shape, pad, stride, dilation, result_add,
        out_dtype, at);
}
/// Without a bias (newer header).
template <class D, class S>
void fconv(const tensor<D> &dst, const tensor<S> &src, const tensor<S> &weight,
           int oc, detail::Pair k_shape, detail::Pair stride,
           detail::Pair dilation, detail::Sides pad, bool result_add = false,
           data_type_t out_dtype = DT_NONE, Line at = {}) {
  fconv(dst, src, weight, detail::kLeftOut, oc, k_shape, stride, dilation, pad,
        result_add, out_dtype, true, at);
}

template <class D, class S>
void fdeconv(const tensor<D> &dst, const tensor<S> &src, detail::Operand weight,
             detail::Operand bias, int oc, detail::Pair k_shape,
             detail::Pair insert, detail::Sides pad, detail::Pair dilation,
             bool result_add, bool out32, Line at = {}) {
  detail::call("tiu.fdeconv", at,
               {dst, src, weight, bias, oc, k_shape, insert, pad, dilation,
                result_add, out32 ? DT_FP32 : DT_NONE});
}
template <class D, class S>
void fdeconv(const tensor<D> &dst, const tensor<S> &src, detail::Operand weight,
             detail::Operand bias, int oc, detail::Pair k_shape,
             detail::Pair insert, detail::Sides pad, detail::Pair dilation,
             bool result_add, data_type_t out_dtype, bool has_bias = true,
             Line at = {}) {
  detail::call("tiu.fdeconv", at,
               {dst, src, weight, bias, oc, k_shape, insert, pad, dilation,
                result_add, out_dtype, has_bias});
}

template <class T>
void fdw_conv(const tensor<T> &output, const tensor<T> &input,
              detail::Operand weight, detail::Operand bias,
              detail::Pair k_shape, detail::Sides pad, detail::Pair stride,
              detail::Pair dilation, Line at = {}) {
  detail::call("tiu.fdw_conv", at,
               {output, input, weight, bias, k_shape, pad, stride, dilation});
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
template <class D, class S>
void fdw_deconv(const tensor<D> &dst, const tensor<S> &src,
                detail::Operand weight, detail::Operand bias,
                detail::Pair k_shape, detail::Pair insert, detail::Sides pad,
                detail::Pair dilation, bool kernel_is_const = false,
                Line at = {}) {
  (void)kernel_is_const;
  detail::call("tiu.fdw_deconv", at,
               {dst, src, weight, bias, k_shape, insert, pad, dilation});
}
template <class D, class S>
void fdw_deconv(const tensor<D> &dst, const tensor<S> &src,
                detail::Operand weight, detail::Operand bias,
                detail::Pair k_shape, detail::Pair insert, detail::Sides pad,
                detail::Pair dilation, data_type_t out_dtype,
                bool has_bias = true, Line at = {}) {
  (void)out_dtype; // that of dst
  fdw_deconv(dst, src, weight, has_bias ? bias : detail::kLeftOut, k_shape,
             insert, pad, dilation, false, at);
}

//===----------------------------------------------------------------------===//
// Bytes, depthwise
//===----------------------------------------------------------------------===//

template <class D, class S>
void dw_conv(const tensor<D> &dst, const tensor<S> &src, detail::Operand weight,
             detail::Operand bias, int pad_val, detail::Pair k_shape,
             detail::Sides pad, detail::Pair stride, detail::Pair dilation,
             uint8 rshift = 0, bool result_relu = false,
             rounding_mode_t round_mode = RM_HALF_UP, Line at = {}) {
  detail::call("tiu.dw_conv", at,
               {dst, src, weight, bias, pad_val, k_shape, pad, stride, dilation,
                rshift, result_relu, round_mode});
}
template <class D, class S>
void dw_conv(const tensor<D> &dst, const tensor<S> &src, detail::Operand weight,
             detail::Operand bias, int pad_val, detail::Pair k_shape,
             detail::Pair stride, detail::Pair dilation, detail::Sides pad,
             uint8 rshift = 0, bool result_relu = false,
             rounding_mode_t round_mode = RM_HALF_UP, Line at = {}) {
  dw_conv(dst, src, weight, bias, pad_val, k_shape, pad, stride, dilation,
          rshift, result_relu, round_mode, at);
}

template <class D, class S>
void dw_deconv(const tensor<D> &dst, const tensor<S> &src,
               detail::Operand weight, detail::Operand bias, int pad_val,
               detail::Pair k_shape, detail::Sides pad, detail::Pair insert,
               detail::Pair dilation, uint8 rshift = 0,
               bool result_relu = false,
               rounding_mode_t round_mode = RM_HALF_UP, Line at = {}) {
  detail::call("tiu.dw_deconv", at,
               {dst, src, weight, bias, pad_val, k_shape, pad, insert, dilation,
                rshift, result_relu, round_mode});
}

//===----------------------------------------------------------------------===//
// Bytes, symmetric
//===----------------------------------------------------------------------===//

/// rshift is to the right.
template <class D, class S>
void conv_sym(const tensor<D> &dst, const tensor<S> &src,
              detail::Operand weight, detail::Operand bias, int oc,
              detail::Pair k_shape, detail::Pair stride, detail::Pair dilation,
              detail::Sides pad, bool result_relu, int8 rshift, Line at = {}) {
  detail::call("tiu.conv_sym", at,
               {dst, src, weight, bias, oc, k_shape, stride, dilation, pad,
                result_relu, rshift});
}
/// Without a bias (newer header).
template <class D, class S>
void conv_sym(const tensor<D> &dst, const tensor<S> &src,
              detail::Operand weight, int oc, detail::Pair k_shape,
              detail::Pair stride, detail::Pair dilation, detail::Sides pad,
              bool result_relu, int8 rshift, Line at = {}) {
  conv_sym(dst, src, weight, detail::kLeftOut, oc, k_shape, stride, dilation,
           pad, result_relu, rshift, at);
}

/// One multiplier, shift (negative: to the right) and zero point.
template <class D, class S>
void conv_sym_rq(const tensor<D> &dst, const tensor<S> &src,
                 detail::Operand weight, detail::Operand bias, int oc,
                 detail::Pair k_shape, detail::Pair stride,
                 detail::Pair dilation, detail::Sides pad, bool result_relu,
                 int multiplier, int8 rshift, short out_zp,
                 bool saturate = false, Line at = {}) {
  detail::call("tiu.conv_sym_rq", at,
               {dst, src, weight, bias, oc, k_shape, stride, dilation, pad,
                result_relu, detail::kLeftOut, multiplier, rshift, out_zp,
                saturate});
}
/// Those of every channel, packed in two words.
template <class D, class S, class Q>
void conv_sym_rq(const tensor<D> &dst, const tensor<S> &src,
                 detail::Operand weight, detail::Operand bias, int oc,
                 detail::Pair k_shape, detail::Pair stride,
                 detail::Pair dilation, detail::Sides pad, bool result_relu,
                 const tensor<Q> &requant, bool saturate = false,
                 rounding_mode_t round = RM_HALF_UP, bool kernel_rotate = false,
                 Line at = {}) {
  detail::call("tiu.conv_sym_rq", at,
               {dst, src, weight, bias, oc, k_shape, stride, dilation, pad,
                result_relu, requant, detail::kLeftOut, detail::kLeftOut,
                detail::kLeftOut, saturate, round, kernel_rotate});
}
/// The same words in one number: multiplier in bits 31..0, shift in 39..32,
/// zero point in 55..40.
template <class D, class S>
void conv_sym_rq(const tensor<D> &dst, const tensor<S> &src,
                 detail::Operand weight, detail::Operand bias, int oc,
                 detail::Pair k_shape, detail::Pair stride,
                 detail::Pair dilation, detail::Sides pad, bool result_relu,
                 uint64 requant, bool saturate = false,
                 rounding_mode_t round = RM_HALF_UP, bool kernel_rotate = false,
                 Line at = {}) {
  detail::call("tiu.conv_sym_rq", at,
               {dst, src, weight, bias, oc, k_shape, stride, dilation, pad,
                result_relu, detail::kLeftOut, int32(uint32(requant)),
                int8(uint8(requant >> 32)), int16(uint16(requant >> 40)),
                saturate, round, kernel_rotate});
}

template <class D, class S>
void deconv_sym(const tensor<D> &dst, const tensor<S> &src,
                detail::Operand weight, detail::Operand bias, int oc,
                detail::Pair k_shape, detail::Pair dilation, detail::Sides pad,
                detail::Pair ins, bool result_relu,
                data_type_t out_dtype = DT_NONE, bool has_bias = true,
                uint8 rshift = 0, Line at = {}) {
  detail::call("tiu.deconv_sym", at,
               {dst, src, weight, bias, oc, k_shape, dilation, pad, ins,
                result_relu, out_dtype, has_bias, rshift});
}

//===----------------------------------------------------------------------===//
// Bytes, with a zero point of the weights
//===----------------------------------------------------------------------===//

template <class D, class S>
void conv_asym(const tensor<D> &dst, const tensor<S> &src,
               detail::Operand weight, detail::Operand bias, int oc,
               detail::Pair k_shape, detail::Pair stride, detail::Pair dilation,
               detail::Sides pad, detail::Operand pad_val, bool result_add,
               data_type_t out_dtype, bool has_bias, detail::Operand kzp,
               bool saturate = false, rounding_mode_t round = RM_HALF_UP,
               bool kernel_rotate = false, Line at = {}) {
  detail::call("tiu.conv_asym", at,
               {dst, src, weight, bias, oc, k_shape, stride, dilation, pad,
                pad_val, result_add, out_dtype, has_bias, kzp, saturate, round,
                kernel_rotate});
}
/// Without a bias (newer header).
template <class D, class S>
void conv_asym(const tensor<D> &dst, const tensor<S> &src,
               detail::Operand weight, int oc, detail::Pair k_shape,
               detail::Pair stride, detail::Pair dilation, detail::Sides pad,
               detail::Operand pad_val, bool result_add, data_type_t out_dtype,
               detail::Operand kzp, Line at = {}) {
  conv_asym(dst, src, weight, detail::kLeftOut, oc, k_shape, stride, dilation,
            pad, pad_val, result_add, out_dtype, false, kzp, false, RM_HALF_UP,
            false, at);
}

template <class D, class S>
void conv_asym_rq(const tensor<D> &dst, const tensor<S> &src,
                  detail::Operand weight, detail::Operand bias, int oc,
                  detail::Pair k_shape, detail::Pair stride,
                  detail::Pair dilation, detail::Sides pad,
                  detail::Operand pad_val, bool result_add,
                  data_type_t out_dtype, bool has_bias, detail::Operand kzp,
                  int multiplier, int8 rshift, short out_zp,
                  bool saturate = false, rounding_mode_t round = RM_HALF_UP,
                  bool kernel_rotate = false, Line at = {}) {
  detail::call("tiu.conv_asym_rq", at,
               {dst,          src,       weight,   bias,     oc,
                k_shape,      stride,    dilation, pad,      pad_val,
                result_add,   out_dtype, has_bias, kzp,      detail::kLeftOut,
                multiplier,   rshift,    out_zp,   saturate, round,
                kernel_rotate});
}
template <class D, class S, class Q>
void conv_asym_rq(const tensor<D> &dst, const tensor<S> &src,
                  detail::Operand weight, detail::Operand bias, int oc,
                  detail::Pair k_shape, detail::Pair stride,
                  detail::Pair dilation, detail::Sides pad,
                  detail::Operand pad_val, bool result_add,
                  data_type_t out_dtype, bool has_bias, detail::Operand kzp,
                  const tensor<Q> &requant, bool saturate = false,
                  rounding_mode_t round = RM_HALF_UP,
                  bool kernel_rotate = false, Line at = {}) {
  detail::call("tiu.conv_asym_rq", at,
               {dst,
                src,
                weight,
                bias,
                oc,
                k_shape,
                stride,
                dilation,
                pad,
                pad_val,
                result_add,
                out_dtype,
                has_bias,
                kzp,
                requant,
                detail::kLeftOut,
                detail::kLeftOut,
                detail::kLeftOut,
                saturate,
                round,
                kernel_rotate});
}
/// The words of a channel in one number, as for conv_sym_rq.
template <class D, class S>
void conv_asym_rq(const tensor<D> &dst, const tensor<S> &src,
                  detail::Operand weight, detail::Operand bias, int oc,
                  detail::Pair k_shape, detail::Pair stride,
                  detail::Pair dilation, detail::Sides pad,
                  detail::Operand pad_val, bool result_add,
                  data_type_t out_dtype, bool has_bias, detail::Operand kzp,
                  uint64 requant, bool saturate = false,
                  rounding_mode_t round = RM_HALF_UP,
                  bool kernel_rotate = false, Line at = {}) {
  conv_asym_rq(dst, src, weight, bias, oc, k_shape, stride, dilation, pad,
               pad_val, result_add, out_dtype, has_bias, kzp,
               int32(uint32(requant)), int8(uint8(requant >> 32)),
               short(uint16(requant >> 40)), saturate, round, kernel_rotate,
               at);
}

template <class D, class S>
void deconv_asym(const tensor<D> &dst, const tensor<S> &src,
                 detail::Operand weight, int oc, detail::Pair k_shape,
                 detail::Pair dilation, detail::Sides pad, detail::Pair ins,
                 int pad_val, int insert_val, bool result_add,
                 data_type_t out_dtype, detail::Operand kzp_val, Line at = {}) {
  detail::call("tiu.deconv_asym", at,
               {dst, src, weight, oc, k_shape, dilation, pad, ins, pad_val,
                insert_val, result_add, out_dtype, kzp_val});
}

//===----------------------------------------------------------------------===//
// Deprecated names
//===----------------------------------------------------------------------===//

/// conv_sym.
template <class D, class S>
void conv(const tensor<D> &dst, const tensor<S> &src, detail::Operand weight,
          detail::Operand bias, int oc, detail::Pair k_shape,
          detail::Pair stride, detail::Pair dilation, detail::Sides pad,
          bool result_relu, int8 rshift, Line at = {}) {
  conv_sym(dst, src, weight, bias, oc, k_shape, stride, dilation, pad,
           result_relu, rshift, at);
}
template <class D, class S>
void conv(const tensor<D> &dst, const tensor<S> &src, detail::Operand weight,
          int oc, detail::Pair k_shape, detail::Pair stride,
          detail::Pair dilation, detail::Sides pad, bool result_relu,
          int8 rshift, Line at = {}) {
  conv_sym(dst, src, weight, detail::kLeftOut, oc, k_shape, stride, dilation,
           pad, result_relu, rshift, at);
}
/// conv_asym.
template <class D, class S>
void conv(const tensor<D> &dst, const tensor<S> &src, detail::Operand weight,
          int oc, detail::Pair k_shape, detail::Pair stride,
          detail::Pair dilation, detail::Sides pad, detail::Operand pad_val,
          bool result_add, data_type_t out_dtype, detail::Operand kzp,
          Line at = {}) {
  conv_asym(dst, src, weight, oc, k_shape, stride, dilation, pad, pad_val,
            result_add, out_dtype, kzp, at);
}
/// deconv_asym.
template <class D, class S>
void deconv(const tensor<D> &dst, const tensor<S> &src, detail::Operand weight,
            int oc, detail::Pair k_shape, detail::Pair dilation,
            detail::Sides pad, detail::Pair ins, int pad_val, int insert_val,
            bool result_add, data_type_t out_dtype, detail::Operand kzp_val,
            Line at = {}) {
  deconv_asym(dst, src, weight, oc, k_shape, dilation, pad, ins, pad_val,
              insert_val, result_add, out_dtype, kzp_val, at);
}

/// dw_conv to 32 bits, relu and rq1: dst starts in lane 0, an operand is
/// signed. rshift is negative to the right.
template <class D, class S>
void dw_conv_rq(const tensor<D> &dst, const tensor<S> &src,
                detail::Operand weight, detail::Operand bias, int pad_val,
                detail::Pair k_shape, detail::Pair stride,
                detail::Pair dilation, detail::Sides pad, bool result_relu,
                int multiplier, int8 rshift, short out_zp,
                rounding_mode_t round = RM_HALF_UP, Line at = {}) {
  tensor<int32> sums(dst.getShape(), TPU_ALIGN, -1, at);
  dw_conv(sums, src, weight, bias, pad_val, k_shape, pad, stride, dilation, 0,
          false, RM_HALF_UP, at);
  if (result_relu)
    detail::call("tiu.max", at, {sums, sums, 0});
  detail::call(
      "tiu.rq1", at,
      {dst, sums, detail::kLeftOut, multiplier, rshift, out_zp, round});
}

} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_CONV_H
