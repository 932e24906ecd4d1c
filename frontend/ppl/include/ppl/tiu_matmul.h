//===- tiu_matmul.h - TIU functions: matrix products ----------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_MATMUL_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_MATMUL_H

#include "ppl/tiu_matmul_rows.h"

/// PPL 4.6.5. mm and fmm take matrices folded over channels, [rows, columns/w,
/// 1, w]; mm2 and fmm2 a row in a channel, [1, rows, 1, columns]. A number may
/// stand for a matrix of one value. Here are the deprecated forms by flags.
namespace ppl::detail {
/// mm2_nn, nt or tt. Left alone cannot be transposed, and the result is exactly
/// when both are.
inline const char *productOf(const char *const (&names)[3], bool ltrans,
                             bool rtrans, bool rst_trans, Line at) {
  if (ltrans == rst_trans && (!ltrans || rtrans))
    return names[ltrans ? 2 : rtrans ? 1 : 0];
  recorder().fail(recorder().self,
                  "ltrans, rtrans, rst_trans must be all false, all true or "
                  "rtrans alone; transpose left first",
                  at);
  return nullptr;
}
inline constexpr const char *kByteProducts[3] = {"tiu.mm2_nn", "tiu.mm2_nt",
                                                 "tiu.mm2_tt"};
inline constexpr const char *kHalfProducts[3] = {"tiu.fmm2_nn", "tiu.fmm2_nt",
                                                 "tiu.fmm2_tt"};
} // namespace ppl::detail

namespace ppl::tiu {

template <class D>
void mm2(const tensor<D> &rst, detail::Operand left, detail::Operand right,
         detail::Operand bias, detail::Operand r_zp, bool ltrans, bool rtrans,
         bool rst_trans, bool result_add, detail::Coded<data_type_t> out_dtype,
         bool has_bias = true, bool do_relu = false, Line at = {}) {
  if (const char *name = detail::productOf(detail::kByteProducts, ltrans,
                                           rtrans, rst_trans, at))
    detail::call(name, at,
                 {rst, left, right, has_bias ? bias : detail::kLeftOut,
                  result_add, out_dtype, do_relu, r_zp});
}
template <class D>
void mm2(const tensor<D> &rst, detail::Operand left, detail::Operand right,
         detail::Operand r_zp, bool ltrans, bool rtrans, bool rst_trans,
         bool result_add, detail::Coded<data_type_t> out_dtype, Line at = {}) {
  mm2(rst, left, right, detail::kLeftOut, r_zp, ltrans, rtrans, rst_trans,
      result_add, out_dtype, false, false, at);
}
template <class D, class A, class B, class C, detail::Flags<A, B, C> = 0>
void mm2(const tensor<D> &rst, detail::Operand left, detail::Operand right,
         A ltrans, B rtrans, C rst_trans, Line at = {}) {
  mm2(rst, left, right, detail::kLeftOut, detail::kLeftOut, ltrans, rtrans,
      rst_trans, false, DT_NONE, false, false, at);
}
template <class D>
void mm2(const tensor<D> &rst, detail::Operand left, detail::Operand right,
         Line at = {}) {
  mm2(rst, left, right, false, false, false, at);
}
template <class D>
void mm2(const tensor<D> &rst, detail::Operand left, detail::Operand right,
         detail::Operand r_zp, bool result_add,
         detail::Coded<data_type_t> out_dtype, Line at = {}) {
  mm2(rst, left, right, detail::kLeftOut, r_zp, false, false, false, result_add,
      out_dtype, false, false, at);
}

template <class D, class B>
void fmm2(const tensor<D> &dst, detail::Operand left, detail::Operand right,
          const tensor<B> &bias, bool ltrans, bool rtrans, bool rst_trans,
          bool do_relu, bool result_add, detail::Coded<data_type_t> out_dtype,
          bool has_bias = true, bool saturate = false, bool do_requant = false,
          float quant = 1.0f, Line at = {}) {
  if (const char *name = detail::productOf(detail::kHalfProducts, ltrans,
                                           rtrans, rst_trans, at))
    detail::call(
        name, at,
        {dst, left, right, has_bias ? detail::Argument(bias) : detail::kLeftOut,
         result_add, out_dtype, do_relu, saturate, do_requant ? quant : 1.0f});
}
template <class D, class B>
void fmm2(const tensor<D> &dst, detail::Operand left, detail::Operand right,
          const tensor<B> &bias, bool do_relu, bool result_add,
          detail::Coded<data_type_t> out_dtype, bool has_bias = true,
          bool saturate = false, Line at = {}) {
  fmm2(dst, left, right, bias, false, false, false, do_relu, result_add,
       out_dtype, has_bias, saturate, false, 1.0f, at);
}
template <class D, class B>
void fmm2(const tensor<D> &dst, detail::Operand left, detail::Operand right,
          const tensor<B> &bias, Line at = {}) {
  fmm2(dst, left, right, bias, false, false, false, false, false, DT_NONE, true,
       false, false, 1.0f, at);
}
template <class D, class B>
void fmm2(const tensor<D> &dst, detail::Operand left, detail::Operand right,
          const tensor<B> &bias, bool ltrans, bool rtrans, bool rst_trans,
          Line at = {}) {
  fmm2(dst, left, right, bias, ltrans, rtrans, rst_trans, false, false, DT_NONE,
       true, false, false, 1.0f, at);
}
template <class D>
void fmm2(const tensor<D> &dst, detail::Operand left, detail::Operand right,
          bool ltrans, bool rtrans, bool rst_trans, bool do_relu,
          bool result_add, detail::Coded<data_type_t> out_dtype,
          bool saturate = false, Line at = {}) {
  if (const char *name = detail::productOf(detail::kHalfProducts, ltrans,
                                           rtrans, rst_trans, at))
    detail::call(name, at,
                 {dst, left, right, detail::kLeftOut, result_add, out_dtype,
                  do_relu, saturate});
}
template <class D>
void fmm2(const tensor<D> &dst, detail::Operand left, detail::Operand right,
          bool ltrans, bool rtrans, bool rst_trans, Line at = {}) {
  fmm2(dst, left, right, ltrans, rtrans, rst_trans, false, false, DT_NONE,
       false, at);
}
template <class D>
void fmm2(const tensor<D> &dst, detail::Operand left, detail::Operand right,
          bool result_add, detail::Coded<data_type_t> out_dtype, Line at = {}) {
  fmm2(dst, left, right, false, false, false, false, result_add, out_dtype,
       false, at);
}
template <class D>
void fmm2(const tensor<D> &dst, detail::Operand left, detail::Operand right,
          Line at = {}) {
  fmm2(dst, left, right, false, DT_NONE, at);
}

} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_MATMUL_H
