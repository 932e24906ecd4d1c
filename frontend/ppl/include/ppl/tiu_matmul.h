//===- tiu_matmul.h - TIU functions: matrix products ----------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_MATMUL_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_MATMUL_H

#include "ppl/tiu_window.h"

/// PPL 4.6.5. mm and fmm take matrices folded over channels, [rows, columns/w,
/// 1, w]; mm2 and fmm2 a row in a channel, [1, rows, 1, columns]. A number may
/// stand for a matrix of one value.
namespace ppl::tiu {

//===----------------------------------------------------------------------===//
// Folded matrices
//===----------------------------------------------------------------------===//

template <class D, class R>
void mm(const tensor<D> &dst, detail::Operand left, const tensor<R> &right,
        bool ltrans = false, bool rtrans = false, Line at = {}) {
  detail::call("tiu.mm", at, {dst, left, right, ltrans, rtrans});
}
/// dst of 8 or 16 bits: (left * right + (dst << lshift)) >> rshift.
template <class D, class R>
void mm(const tensor<D> &dst, detail::Operand left, const tensor<R> &right,
        bool ltrans, bool rtrans, bool result_add, int lshift, int rshift,
        bool do_relu, Line at = {}) {
  detail::call(
      "tiu.mm", at,
      {dst, left, right, ltrans, rtrans, result_add, lshift, rshift, do_relu});
}
/// Shifted and rounded.
template <class D, class R>
void mm(const tensor<D> &dst, detail::Operand left, const tensor<R> &right,
        int rshift, rounding_mode_t round, Line at = {}) {
  detail::call("tiu.mm", at,
               {dst, left, right, false, false, false, 0, rshift, false,
                detail::kLeftOut, round});
}
template <class D, class R>
void mm(const tensor<D> &dst, detail::Operand left, const tensor<R> &right,
        bool ltrans, int rshift, rounding_mode_t round, Line at = {}) {
  detail::call("tiu.mm", at,
               {dst, left, right, ltrans, false, false, 0, rshift, false,
                detail::kLeftOut, round});
}
/// With a row that is added.
template <class D, class R, class B>
void mm(const tensor<D> &dst, detail::Operand left, const tensor<R> &right,
        const tensor<B> &bias, bool result_add, int lshift, int rshift,
        bool do_relu, Line at = {}) {
  detail::call("tiu.mm", at,
               {dst, left, right, false, false, result_add, lshift, rshift,
                do_relu, bias});
}
template <class D, class R, class B>
void mm(const tensor<D> &dst, detail::Operand left, const tensor<R> &right,
        const tensor<B> &bias, bool ltrans, bool result_add, int lshift,
        int rshift, bool do_relu, Line at = {}) {
  detail::call("tiu.mm", at,
               {dst, left, right, ltrans, false, result_add, lshift, rshift,
                do_relu, bias});
}

template <class D, class R>
void fmm(const tensor<D> &dst, detail::Operand left, const tensor<R> &right,
         bool ltrans, bool rtrans, bool result_add, Line at = {}) {
  detail::call("tiu.fmm", at, {dst, left, right, ltrans, rtrans, result_add});
}
template <class D, class R>
void fmm(const tensor<D> &dst, detail::Operand left, const tensor<R> &right,
         bool result_add = false, Line at = {}) {
  detail::call("tiu.fmm", at, {dst, left, right, false, false, result_add});
}
template <class D, class R>
void fmm(const tensor<D> &dst, detail::Operand left, const tensor<R> &right,
         bool ltrans, bool result_add, Line at = {}) {
  detail::call("tiu.fmm", at, {dst, left, right, ltrans, false, result_add});
}
template <class D, class R, class B>
void fmm(const tensor<D> &dst, detail::Operand left, const tensor<R> &right,
         const tensor<B> &bias, bool ltrans = false, bool result_add = false,
         Line at = {}) {
  detail::call("tiu.fmm", at,
               {dst, left, right, ltrans, false, result_add, bias});
}

//===----------------------------------------------------------------------===//
// A row in a channel
//===----------------------------------------------------------------------===//

/// left [1, M, 1, K], right [1, K, 1, N], dst [1, M, 1, N].
template <class D>
void mm2_nn(const tensor<D> &rst, detail::Operand left, detail::Operand right,
            detail::Operand bias, bool result_add, data_type_t out_dtype,
            bool do_relu, detail::Operand r_zp, detail::Operand requant = None,
            int multiplier = 1, int8 shift = 0, int16 offset = 0,
            bool saturate = false,
            rounding_mode_t round_mode = RM_HALF_AWAY_FROM_ZERO, Line at = {}) {
  detail::call("tiu.mm2_nn", at,
               {rst, left, right, bias, result_add, out_dtype, do_relu, r_zp,
                requant, multiplier, shift, offset, saturate, round_mode});
}
template <class D>
void mm2_nn(const tensor<D> &rst, detail::Operand left, detail::Operand right,
            bool result_add = false, bool saturate = false,
            rounding_mode_t round_mode = RM_HALF_AWAY_FROM_ZERO, Line at = {}) {
  mm2_nn(rst, left, right, None, result_add, DT_NONE, false, None, None, 1, 0,
         0, saturate, round_mode, at);
}
template <class D>
void fmm2_nn(const tensor<D> &dst, detail::Operand left, detail::Operand right,
             detail::Operand bias, bool result_add, data_type_t out_dtype,
             bool do_relu = false, bool saturate = false,
             detail::Operand requant = 1.0f, Line at = {}) {
  detail::call("tiu.fmm2_nn", at,
               {dst, left, right, bias, result_add, out_dtype, do_relu,
                saturate, requant});
}
template <class D>
void fmm2_nn(const tensor<D> &dst, detail::Operand left, detail::Operand right,
             bool result_add = false, Line at = {}) {
  detail::call("tiu.fmm2_nn", at,
               {dst, left, right, detail::kLeftOut, result_add});
}

/// left [1, M, 1, K], right [1, N, 1, K], dst [1, M, 1, N].
template <class D>
void mm2_nt(const tensor<D> &rst, detail::Operand left, detail::Operand right,
            detail::Operand bias, bool result_add, data_type_t out_dtype,
            bool do_relu, detail::Operand r_zp, detail::Operand requant = None,
            int multiplier = 1, int8 shift = 0, int16 offset = 0,
            bool saturate = false,
            rounding_mode_t round_mode = RM_HALF_AWAY_FROM_ZERO, Line at = {}) {
  detail::call("tiu.mm2_nt", at,
               {rst, left, right, bias, result_add, out_dtype, do_relu, r_zp,
                requant, multiplier, shift, offset, saturate, round_mode});
}
template <class D>
void mm2_nt(const tensor<D> &rst, detail::Operand left, detail::Operand right,
            bool result_add = false, bool saturate = false,
            rounding_mode_t round_mode = RM_HALF_AWAY_FROM_ZERO, Line at = {}) {
  mm2_nt(rst, left, right, None, result_add, DT_NONE, false, None, None, 1, 0,
         0, saturate, round_mode, at);
}
template <class D>
void fmm2_nt(const tensor<D> &dst, detail::Operand left, detail::Operand right,
             detail::Operand bias, bool result_add, data_type_t out_dtype,
             bool do_relu = false, bool saturate = false,
             detail::Operand requant = 1.0f, Line at = {}) {
  detail::call("tiu.fmm2_nt", at,
               {dst, left, right, bias, result_add, out_dtype, do_relu,
                saturate, requant});
}
template <class D>
void fmm2_nt(const tensor<D> &dst, detail::Operand left, detail::Operand right,
             bool result_add = false, Line at = {}) {
  detail::call("tiu.fmm2_nt", at,
               {dst, left, right, detail::kLeftOut, result_add});
}

/// left [1, K, 1, M], right [1, N, 1, K], dst [1, N, 1, M].
template <class D>
void mm2_tt(const tensor<D> &rst, detail::Operand left, detail::Operand right,
            detail::Operand bias, bool result_add, data_type_t out_dtype,
            bool do_relu, detail::Operand r_zp, detail::Operand requant = None,
            int multiplier = 1, int8 shift = 0, int16 offset = 0,
            bool saturate = false,
            rounding_mode_t round_mode = RM_HALF_AWAY_FROM_ZERO, Line at = {}) {
  detail::call("tiu.mm2_tt", at,
               {rst, left, right, bias, result_add, out_dtype, do_relu, r_zp,
                requant, multiplier, shift, offset, saturate, round_mode});
}
template <class D>
void mm2_tt(const tensor<D> &rst, detail::Operand left, detail::Operand right,
            bool result_add = false, bool saturate = false,
            rounding_mode_t round_mode = RM_HALF_AWAY_FROM_ZERO, Line at = {}) {
  mm2_tt(rst, left, right, None, result_add, DT_NONE, false, None, None, 1, 0,
         0, saturate, round_mode, at);
}
template <class D>
void fmm2_tt(const tensor<D> &dst, detail::Operand left, detail::Operand right,
             detail::Operand bias, bool result_add, data_type_t out_dtype,
             bool do_relu = false, bool saturate = false,
             detail::Operand requant = 1.0f, Line at = {}) {
  detail::call("tiu.fmm2_tt", at,
               {dst, left, right, bias, result_add, out_dtype, do_relu,
                saturate, requant});
}
template <class D>
void fmm2_tt(const tensor<D> &dst, detail::Operand left, detail::Operand right,
             bool result_add = false, Line at = {}) {
  detail::call("tiu.fmm2_tt", at,
               {dst, left, right, detail::kLeftOut, result_add});
}

//===----------------------------------------------------------------------===//
// Deprecated: the form by flags
//===----------------------------------------------------------------------===//

} // namespace ppl::tiu

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
template <class... B>
using Flags = std::enable_if_t<(std::is_same_v<B, bool> && ...), int>;
} // namespace ppl::detail

namespace ppl::tiu {

template <class D>
void mm2(const tensor<D> &rst, detail::Operand left, detail::Operand right,
         detail::Operand bias, detail::Operand r_zp, bool ltrans, bool rtrans,
         bool rst_trans, bool result_add, data_type_t out_dtype,
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
         bool result_add, data_type_t out_dtype, Line at = {}) {
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
         detail::Operand r_zp, bool result_add, data_type_t out_dtype,
         Line at = {}) {
  mm2(rst, left, right, detail::kLeftOut, r_zp, false, false, false, result_add,
      out_dtype, false, false, at);
}

template <class D, class B>
void fmm2(const tensor<D> &dst, detail::Operand left, detail::Operand right,
          const tensor<B> &bias, bool ltrans, bool rtrans, bool rst_trans,
          bool do_relu, bool result_add, data_type_t out_dtype,
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
          data_type_t out_dtype, bool has_bias = true, bool saturate = false,
          Line at = {}) {
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
          bool result_add, data_type_t out_dtype, bool saturate = false,
          Line at = {}) {
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
          bool result_add, data_type_t out_dtype, Line at = {}) {
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
