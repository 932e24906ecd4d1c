//===- tiu_pointwise.h - TIU functions: pointwise ---------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_POINTWISE_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_POINTWISE_H

#include "ppl/tensor.h"

/// PPL 4.6.1. Numbers may stand for the sources that the overloads name `C`.
namespace ppl::tiu {

//===-- magnitude, bits
//-------------------------------------------------------===//

template <class T>
void abs(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("tiu.abs", at, {dst, src});
}

template <class T>
void abs(const tensor<T> &dst, int src, Line at = {}) {
  detail::call("tiu.abs", at, {dst, src});
}

template <class T>
void fabs(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("tiu.fabs", at, {dst, src});
}

template <class T>
void fabs(const tensor<T> &dst, float src, Line at = {}) {
  detail::call("tiu.fabs", at, {dst, src});
}

template <class T>
void bitwise_not(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("tiu.bitwise_not", at, {dst, src});
}

template <class T>
void bitwise_not(const tensor<T> &dst, int src, Line at = {}) {
  detail::call("tiu.bitwise_not", at, {dst, src});
}

template <class T>
void bitwise_and(const tensor<T> &dst, const tensor<T> &src0,
                 const tensor<T> &src1, Line at = {}) {
  detail::call("tiu.bitwise_and", at, {dst, src0, src1});
}

template <class T, class N, detail::IfNumber<N> = 0>
void bitwise_and(const tensor<T> &dst, const tensor<T> &src, N C,
                 Line at = {}) {
  detail::call("tiu.bitwise_and", at, {dst, src, C});
}

template <class T>
void bitwise_or(const tensor<T> &dst, const tensor<T> &src0,
                const tensor<T> &src1, Line at = {}) {
  detail::call("tiu.bitwise_or", at, {dst, src0, src1});
}

template <class T, class N, detail::IfNumber<N> = 0>
void bitwise_or(const tensor<T> &dst, const tensor<T> &src, N C, Line at = {}) {
  detail::call("tiu.bitwise_or", at, {dst, src, C});
}

template <class T>
void bitwise_xor(const tensor<T> &dst, const tensor<T> &src0,
                 const tensor<T> &src1, Line at = {}) {
  detail::call("tiu.bitwise_xor", at, {dst, src0, src1});
}

template <class T, class N, detail::IfNumber<N> = 0>
void bitwise_xor(const tensor<T> &dst, const tensor<T> &src, N C,
                 Line at = {}) {
  detail::call("tiu.bitwise_xor", at, {dst, src, C});
}

//===-- integer sums, differences and products
//--------------------------------===//

// `shift` is a number or one int8 for each channel, which goes behind the
// operands. Without one the exact result is cut to the type of dst.

template <class T0, class T1, class T2>
void add(const tensor<T0> &dst, const tensor<T1> &src0, const tensor<T2> &src1,
         int shift, rounding_mode_t round_mode, bool saturation, Line at = {}) {
  detail::call("tiu.add", at, {dst, src0, src1, shift, round_mode, saturation});
}

template <class T0, class T1, class T2>
void add(const tensor<T0> &dst, const tensor<T1> &src0, const tensor<T2> &src1,
         const tensor<int8> &shift, rounding_mode_t round_mode, bool saturation,
         Line at = {}) {
  detail::call("tiu.add", at, {dst, src0, src1, shift, round_mode, saturation});
}

template <class T0, class T1, class T2>
void add(const tensor<T0> &dst, const tensor<T1> &src0, const tensor<T2> &src1,
         Line at = {}) {
  detail::call("tiu.add", at, {dst, src0, src1});
}

template <class T0, class T1, class N, detail::IfNumber<N> = 0>
void add(const tensor<T0> &dst, const tensor<T1> &src, N C, int shift,
         rounding_mode_t round_mode, bool saturation, Line at = {}) {
  detail::call("tiu.add", at, {dst, src, C, shift, round_mode, saturation});
}

template <class T0, class T1, class N, detail::IfNumber<N> = 0>
void add(const tensor<T0> &dst, const tensor<T1> &src, N C,
         const tensor<int8> &shift, rounding_mode_t round_mode, bool saturation,
         Line at = {}) {
  detail::call("tiu.add", at, {dst, src, C, shift, round_mode, saturation});
}

template <class T0, class T1, class N, detail::IfNumber<N> = 0>
void add(const tensor<T0> &dst, const tensor<T1> &src, N C, Line at = {}) {
  detail::call("tiu.add", at, {dst, src, C});
}

template <class T0, class T1, class T2>
void sub(const tensor<T0> &dst, const tensor<T1> &src0, const tensor<T2> &src1,
         int shift, rounding_mode_t round_mode, bool saturation, Line at = {}) {
  detail::call("tiu.sub", at, {dst, src0, src1, shift, round_mode, saturation});
}

template <class T0, class T1, class T2>
void sub(const tensor<T0> &dst, const tensor<T1> &src0, const tensor<T2> &src1,
         const tensor<int8> &shift, rounding_mode_t round_mode, bool saturation,
         Line at = {}) {
  detail::call("tiu.sub", at, {dst, src0, src1, shift, round_mode, saturation});
}

template <class T0, class T1, class T2>
void sub(const tensor<T0> &dst, const tensor<T1> &src0, const tensor<T2> &src1,
         Line at = {}) {
  detail::call("tiu.sub", at, {dst, src0, src1});
}

template <class T0, class T1, class N, detail::IfNumber<N> = 0>
void sub(const tensor<T0> &dst, const tensor<T1> &src, N C, int shift,
         rounding_mode_t round_mode, bool saturation, Line at = {}) {
  detail::call("tiu.sub", at, {dst, src, C, shift, round_mode, saturation});
}

template <class T0, class T1, class N, detail::IfNumber<N> = 0>
void sub(const tensor<T0> &dst, const tensor<T1> &src, N C,
         const tensor<int8> &shift, rounding_mode_t round_mode, bool saturation,
         Line at = {}) {
  detail::call("tiu.sub", at, {dst, src, C, shift, round_mode, saturation});
}

template <class T0, class T1, class N, detail::IfNumber<N> = 0>
void sub(const tensor<T0> &dst, const tensor<T1> &src, N C, Line at = {}) {
  detail::call("tiu.sub", at, {dst, src, C});
}

template <class T0, class N, class T2, detail::IfNumber<N> = 0>
void sub(const tensor<T0> &dst, N C, const tensor<T2> &src, int shift,
         rounding_mode_t round_mode, bool saturation, Line at = {}) {
  detail::call("tiu.sub", at, {dst, C, src, shift, round_mode, saturation});
}

template <class T0, class N, class T2, detail::IfNumber<N> = 0>
void sub(const tensor<T0> &dst, N C, const tensor<T2> &src,
         const tensor<int8> &shift, rounding_mode_t round_mode, bool saturation,
         Line at = {}) {
  detail::call("tiu.sub", at, {dst, C, src, shift, round_mode, saturation});
}

template <class T0, class N, class T2, detail::IfNumber<N> = 0>
void sub(const tensor<T0> &dst, N C, const tensor<T2> &src, Line at = {}) {
  detail::call("tiu.sub", at, {dst, C, src});
}

template <class T0, class T1, class T2>
void mul(const tensor<T0> &dst, const tensor<T1> &src0, const tensor<T2> &src1,
         int shift, rounding_mode_t round_mode, bool saturation, Line at = {}) {
  detail::call("tiu.mul", at, {dst, src0, src1, shift, round_mode, saturation});
}

template <class T0, class T1, class T2>
void mul(const tensor<T0> &dst, const tensor<T1> &src0, const tensor<T2> &src1,
         const tensor<int8> &shift, rounding_mode_t round_mode, bool saturation,
         Line at = {}) {
  detail::call("tiu.mul", at, {dst, src0, src1, shift, round_mode, saturation});
}

template <class T0, class T1, class T2>
void mul(const tensor<T0> &dst, const tensor<T1> &src0, const tensor<T2> &src1,
         Line at = {}) {
  detail::call("tiu.mul", at, {dst, src0, src1});
}

template <class T0, class T1, class N, detail::IfNumber<N> = 0>
void mul(const tensor<T0> &dst, const tensor<T1> &src, N C, int shift,
         rounding_mode_t round_mode, bool saturation, Line at = {}) {
  detail::call("tiu.mul", at, {dst, src, C, shift, round_mode, saturation});
}

template <class T0, class T1, class N, detail::IfNumber<N> = 0>
void mul(const tensor<T0> &dst, const tensor<T1> &src, N C,
         const tensor<int8> &shift, rounding_mode_t round_mode, bool saturation,
         Line at = {}) {
  detail::call("tiu.mul", at, {dst, src, C, shift, round_mode, saturation});
}

template <class T0, class T1, class N, detail::IfNumber<N> = 0>
void mul(const tensor<T0> &dst, const tensor<T1> &src, N C, Line at = {}) {
  detail::call("tiu.mul", at, {dst, src, C});
}

/// dst = ((dst << l_shift) + src0 * src1) >> r_shift

template <class T0, class T1, class T2>
void mac(const tensor<T0> &dst, const tensor<T1> &src0, const tensor<T2> &src1,
         int l_shift = 0, int r_shift = 0,
         rounding_mode_t round_mode = RM_HALF_TO_EVEN, Line at = {}) {
  detail::call("tiu.mac", at, {dst, src0, src1, l_shift, r_shift, round_mode});
}

template <class T0, class T1, class N, detail::IfNumber<N> = 0>
void mac(const tensor<T0> &dst, const tensor<T1> &src, N C, int l_shift = 0,
         int r_shift = 0, rounding_mode_t round_mode = RM_HALF_TO_EVEN,
         Line at = {}) {
  detail::call("tiu.mac", at, {dst, src, C, l_shift, r_shift, round_mode});
}

template <class T0, class N, class T2, detail::IfNumber<N> = 0>
void mac(const tensor<T0> &dst, N C, const tensor<T2> &src, int l_shift = 0,
         int r_shift = 0, rounding_mode_t round_mode = RM_HALF_TO_EVEN,
         Line at = {}) {
  detail::call("tiu.mac", at, {dst, C, src, l_shift, r_shift, round_mode});
}

//===-- float sums, differences, products, quotients
//--------------------------===//

template <class T>
void fadd(const tensor<T> &dst, const tensor<T> &src0, const tensor<T> &src1,
          bool saturation = false, Line at = {}) {
  detail::call("tiu.fadd", at, {dst, src0, src1, saturation});
}

template <class T>
void fadd(const tensor<T> &dst, const tensor<T> &src, float C,
          bool saturation = false, Line at = {}) {
  detail::call("tiu.fadd", at, {dst, src, C, saturation});
}

template <class T>
void fsub(const tensor<T> &dst, const tensor<T> &src0, const tensor<T> &src1,
          bool saturation = false, Line at = {}) {
  detail::call("tiu.fsub", at, {dst, src0, src1, saturation});
}

template <class T>
void fsub(const tensor<T> &dst, const tensor<T> &src, float C,
          bool saturation = false, Line at = {}) {
  detail::call("tiu.fsub", at, {dst, src, C, saturation});
}

template <class T>
void fsub(const tensor<T> &dst, float C, const tensor<T> &src,
          bool saturation = false, Line at = {}) {
  detail::call("tiu.fsub", at, {dst, C, src, saturation});
}

template <class T>
void fmul(const tensor<T> &dst, const tensor<T> &src0, const tensor<T> &src1,
          bool saturation = false, Line at = {}) {
  detail::call("tiu.fmul", at, {dst, src0, src1, saturation});
}

template <class T>
void fmul(const tensor<T> &dst, const tensor<T> &src, float C,
          bool saturation = false, Line at = {}) {
  detail::call("tiu.fmul", at, {dst, src, C, saturation});
}

template <class T>
void fsub_abs(const tensor<T> &dst, const tensor<T> &src0,
              const tensor<T> &src1, Line at = {}) {
  detail::call("tiu.fsub_abs", at, {dst, src0, src1});
}

template <class T>
void fsub_abs(const tensor<T> &dst, const tensor<T> &src, float C,
              Line at = {}) {
  detail::call("tiu.fsub_abs", at, {dst, src, C});
}

inline void fmac(const tensor<fp32> &dst, const tensor<fp32> &src0,
                 const tensor<fp32> &src1, Line at = {}) {
  detail::call("tiu.fmac", at, {dst, src0, src1});
}

inline void fmac(const tensor<fp32> &dst, const tensor<fp32> &src, float C,
                 Line at = {}) {
  detail::call("tiu.fmac", at, {dst, src, C});
}

/// dst = src0 * src1 + src2, two roundings; any of them may be a number.
template <class T, class A, class B, class C>
void fmul_add(const tensor<T> &dst, const A &src0, const B &src1, const C &src2,
              Line at = {}) {
  detail::call("tiu.fmul_add", at, {dst, src0, src1, src2});
}

template <class T>
void fdiv(const tensor<T> &dst, const tensor<T> &src0, const tensor<T> &src1,
          int num_iter = 3, Line at = {}) {
  detail::call("tiu.fdiv", at, {dst, src0, src1, num_iter});
}

template <class T>
void fdiv(const tensor<T> &dst, const tensor<T> &src, float C, int num_iter = 3,
          Line at = {}) {
  detail::call("tiu.fdiv", at, {dst, src, C, num_iter});
}

template <class T>
void fdiv(const tensor<T> &dst, float C, const tensor<T> &src, int num_iter = 3,
          Line at = {}) {
  detail::call("tiu.fdiv", at, {dst, C, src, num_iter});
}

template <class T>
void frsqrt(const tensor<T> &dst, const tensor<T> &src, int num_iter = 3,
            Line at = {}) {
  detail::call("tiu.frsqrt", at, {dst, src, num_iter});
}

//===-- conversions
//-----------------------------------------------------------===//

template <class T0, class T1>
void cast(const tensor<T0> &dst, const tensor<T1> &src,
          rounding_mode_t round_mode = RM_HALF_TO_EVEN, Line at = {}) {
  detail::call("tiu.cast", at, {dst, src, round_mode});
}

template <class T>
void round(const tensor<T> &dst, const tensor<T> &src,
           rounding_mode_t round_mode = RM_HALF_TO_EVEN, Line at = {}) {
  detail::call("tiu.round", at, {dst, src, round_mode});
}

template <class T>
void floor(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("tiu.floor", at, {dst, src});
}

template <class T>
void ceiling(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("tiu.ceiling", at, {dst, src});
}

//===-- shifts
//----------------------------------------------------------------===//

template <class T0, class T1, class T2>
void shift(const tensor<T0> &dst, const tensor<T1> &src,
           const tensor<T2> &shift, rounding_mode_t round_mode, Line at = {}) {
  detail::call("tiu.shift", at, {dst, src, shift, round_mode});
}

template <class T0, class T1>
void shift(const tensor<T0> &dst, const tensor<T1> &src, int shift,
           rounding_mode_t round_mode, Line at = {}) {
  detail::call("tiu.shift", at, {dst, src, shift, round_mode});
}

template <class T0, class T1, class T2>
void logical_shift(const tensor<T0> &dst, const tensor<T1> &src,
                   const tensor<T2> &shift, rounding_mode_t round_mode,
                   Line at = {}) {
  detail::call("tiu.logical_shift", at, {dst, src, shift, round_mode});
}

template <class T0, class T1>
void logical_shift(const tensor<T0> &dst, const tensor<T1> &src, int shift,
                   rounding_mode_t round_mode, Line at = {}) {
  detail::call("tiu.logical_shift", at, {dst, src, shift, round_mode});
}

template <class T0, class T1>
void circular_shift(const tensor<T0> &dst, const tensor<T1> &src,
                    const tensor<int8> &shift, rounding_mode_t round_mode,
                    Line at = {}) {
  detail::call("tiu.circular_shift", at, {dst, src, shift, round_mode});
}

template <class T0, class T1>
void circular_shift(const tensor<T0> &dst, const tensor<T1> &src, int shift,
                    rounding_mode_t round_mode, Line at = {}) {
  detail::call("tiu.circular_shift", at, {dst, src, shift, round_mode});
}

template <class T0, class N, detail::IfNumber<N> = 0>
void circular_shift(const tensor<T0> &dst, N src, const tensor<int8> &shift,
                    rounding_mode_t round_mode, Line at = {}) {
  detail::call("tiu.circular_shift", at, {dst, src, shift, round_mode});
}

//===-- exponential and logarithm
//---------------------------------------------===//

template <class T>
void fexp(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("tiu.fexp", at, {dst, src});
}

/// ln(1 + src) for small |src|; see the wrapper flog.
template <class T>
void flog_base(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("tiu.flog_base", at, {dst, src});
}

/// Logarithm to the base x; coeff holds the LOG table (load_coeff).
template <class T>
void flogx(const tensor<T> &dst, const tensor<T> &src, const tensor<T> &work,
           const tensor<T> &coeff, float x, Line at = {}) {
  detail::call("tiu.flogx", at, {dst, src, work, coeff, x});
}

} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_POINTWISE_H
