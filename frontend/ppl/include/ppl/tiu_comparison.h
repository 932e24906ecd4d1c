//===- tiu_comparison.h - TIU functions: comparisons ------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_COMPARISON_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_COMPARISON_H

#include "ppl/tensor.h"

/// PPL 4.6.2.
namespace ppl::tiu {

//===-- minimum, maximum
//------------------------------------------------------===//

template <class T>
void min(const tensor<T> &dst, const tensor<T> &src0, const tensor<T> &src1,
         Line at = {}) {
  detail::call("tiu.min", at, {dst, src0, src1});
}

template <class T, class N, detail::IfNumber<N> = 0>
void min(const tensor<T> &dst, const tensor<T> &src, N C, Line at = {}) {
  detail::call("tiu.min", at, {dst, src, C});
}

template <class T>
void fmin(const tensor<T> &dst, const tensor<T> &src0, const tensor<T> &src1,
          Line at = {}) {
  detail::call("tiu.fmin", at, {dst, src0, src1});
}

template <class T>
void fmin(const tensor<T> &dst, const tensor<T> &src, float C, Line at = {}) {
  detail::call("tiu.fmin", at, {dst, src, C});
}

template <class T>
void max(const tensor<T> &dst, const tensor<T> &src0, const tensor<T> &src1,
         Line at = {}) {
  detail::call("tiu.max", at, {dst, src0, src1});
}

template <class T, class N, detail::IfNumber<N> = 0>
void max(const tensor<T> &dst, const tensor<T> &src, N C, Line at = {}) {
  detail::call("tiu.max", at, {dst, src, C});
}

template <class T>
void fmax(const tensor<T> &dst, const tensor<T> &src0, const tensor<T> &src1,
          Line at = {}) {
  detail::call("tiu.fmax", at, {dst, src0, src1});
}

template <class T>
void fmax(const tensor<T> &dst, const tensor<T> &src, float C, Line at = {}) {
  detail::call("tiu.fmax", at, {dst, src, C});
}

// Of all pairs of two vectors.

template <class T>
void vc_min(const tensor<T> &dst, const tensor<T> &src0, const tensor<T> &src1,
            Line at = {}) {
  detail::call("tiu.vc_min", at, {dst, src0, src1});
}

template <class T>
void fvc_min(const tensor<T> &dst, const tensor<T> &src0, const tensor<T> &src1,
             Line at = {}) {
  detail::call("tiu.fvc_min", at, {dst, src0, src1});
}

template <class T>
void vc_max(const tensor<T> &dst, const tensor<T> &src0, const tensor<T> &src1,
            Line at = {}) {
  detail::call("tiu.vc_max", at, {dst, src0, src1});
}

template <class T>
void fvc_max(const tensor<T> &dst, const tensor<T> &src0, const tensor<T> &src1,
             Line at = {}) {
  detail::call("tiu.fvc_max", at, {dst, src0, src1});
}

//===-- masks
//-----------------------------------------------------------------===//

template <class T0, class T1, class N, detail::IfNumber<N> = 0>
void gt(const tensor<T0> &dst, const tensor<T1> &src0, const tensor<T1> &src1,
        N true_val, Line at = {}) {
  detail::call("tiu.gt", at, {dst, src0, src1, true_val});
}

template <class T0, class T1, class M, class N, detail::IfNumber<M> = 0,
          detail::IfNumber<N> = 0>
void gt(const tensor<T0> &dst, const tensor<T1> &src, M C, N true_val,
        Line at = {}) {
  detail::call("tiu.gt", at, {dst, src, C, true_val});
}

template <class T0, class T1, class N, detail::IfNumber<N> = 0>
void lt(const tensor<T0> &dst, const tensor<T1> &src0, const tensor<T1> &src1,
        N true_val, Line at = {}) {
  detail::call("tiu.lt", at, {dst, src0, src1, true_val});
}

template <class T0, class T1, class M, class N, detail::IfNumber<M> = 0,
          detail::IfNumber<N> = 0>
void lt(const tensor<T0> &dst, const tensor<T1> &src, M C, N true_val,
        Line at = {}) {
  detail::call("tiu.lt", at, {dst, src, C, true_val});
}

template <class T0, class T1, class N, detail::IfNumber<N> = 0>
void eq(const tensor<T0> &dst, const tensor<T1> &src0, const tensor<T1> &src1,
        N true_val, Line at = {}) {
  detail::call("tiu.eq", at, {dst, src0, src1, true_val});
}

template <class T0, class T1, class M, class N, detail::IfNumber<M> = 0,
          detail::IfNumber<N> = 0>
void eq(const tensor<T0> &dst, const tensor<T1> &src, M C, N true_val,
        Line at = {}) {
  detail::call("tiu.eq", at, {dst, src, C, true_val});
}

//===-- selects
//---------------------------------------------------------------===//

// Each source is a tensor or a number, which counts as one of the type that it
// goes with.

template <class T0, class A, class B, class C, class D>
void gt_select(const tensor<T0> &dst, const A &src0, const B &src1,
               const C &src2, const D &src3, Line at = {}) {
  detail::call("tiu.gt_select", at, {dst, src0, src1, src2, src3});
}

template <class T0, class A, class B, class C, class D>
void lt_select(const tensor<T0> &dst, const A &src0, const B &src1,
               const C &src2, const D &src3, Line at = {}) {
  detail::call("tiu.lt_select", at, {dst, src0, src1, src2, src3});
}

template <class T0, class A, class B, class C, class D>
void eq_select(const tensor<T0> &dst, const A &src0, const B &src1,
               const C &src2, const D &src3, Line at = {}) {
  detail::call("tiu.eq_select", at, {dst, src0, src1, src2, src3});
}

template <class T0, class T1, class A, class B, class C, class D>
void max_gt_select(const tensor<T0> &dst0, const tensor<T1> &dst1,
                   const A &src0, const B &src1, const C &src2, const D &src3,
                   Line at = {}) {
  detail::call("tiu.max_gt_select", at, {dst0, dst1, src0, src1, src2, src3});
}

template <class T0, class T1, class A, class B, class C, class D>
void min_lt_select(const tensor<T0> &dst0, const tensor<T1> &dst1,
                   const A &src0, const B &src1, const C &src2, const D &src3,
                   Line at = {}) {
  detail::call("tiu.min_lt_select", at, {dst0, dst1, src0, src1, src2, src3});
}

} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_COMPARISON_H
