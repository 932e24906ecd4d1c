//===- tiu_special.h - TIU functions: linear and special --------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_SPECIAL_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_SPECIAL_H

#include "ppl/tensor.h"

/// PPL 4.6.8 and 4.6.9, and the cores of the wrappers.
namespace ppl::tiu {

//===-- scale and bias of each channel
//----------------------------------------===//

// src, scale and bias are tensors or numbers.

template <class T, class A, class B>
void fadd_sqr(const tensor<T> &dst, const A &src, const B &bias, Line at = {}) {
  detail::call("tiu.fadd_sqr", at, {dst, src, bias});
}

template <class T, class A, class B>
void fsub_sqr(const tensor<T> &dst, const A &src, const B &bias, Line at = {}) {
  detail::call("tiu.fsub_sqr", at, {dst, src, bias});
}

template <class T, class A, class B, class C>
void fscale(const tensor<T> &dst, const A &src, const B &scale, const C &bias,
            Line at = {}) {
  detail::call("tiu.fscale", at, {dst, src, scale, bias});
}

template <class T, class A, class B>
void fscale(const tensor<T> &dst, const A &src, const B &scale, Line at = {}) {
  detail::call("tiu.fscale", at, {dst, src, scale});
}

template <class T, class A, class B>
void fbias(const tensor<T> &dst, const A &src, const B &bias, Line at = {}) {
  detail::call("tiu.fscale", at, {dst, src, 1.0f, bias});
}

//===-- polynomials
//-----------------------------------------------------------===//

template <class T>
void taylor(const tensor<T> &dst, const tensor<T> &src, const tensor<T> &coeff,
            int len, Line at = {}) {
  detail::call("tiu.taylor", at, {dst, src, coeff, len});
}

// Series with the coefficients of static memory, in the type of dst.

template <class T>
void fexp_base(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("tiu.fexp_base", at, {dst, src});
}

template <class T>
void fsin_base(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("tiu.fsin_base", at, {dst, src});
}

template <class T>
void fcos_base(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("tiu.fcos_base", at, {dst, src});
}

template <class T>
void ftan_base(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("tiu.ftan_base", at, {dst, src});
}

template <class T>
void farcsin_base(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("tiu.farcsin_base", at, {dst, src});
}

template <class T>
void ferf_base(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("tiu.ferf_base", at, {dst, src});
}

//===-- bits of numbers
//-------------------------------------------------------===//

template <class D, class S>
void norm(const tensor<D> &dst, const tensor<S> &src, Line at = {}) {
  detail::call("tiu.norm", at, {dst, src});
}

template <class D, class S>
void fexp_part(const tensor<D> &dst, const tensor<S> &src, Line at = {}) {
  detail::call("tiu.fexp_part", at, {dst, src});
}

template <class D, class S>
void clz(const tensor<D> &dst, const tensor<S> &src, Line at = {}) {
  detail::call("tiu.clz", at, {dst, src});
}

template <class D, class S>
void clo(const tensor<D> &dst, const tensor<S> &src, Line at = {}) {
  detail::call("tiu.clo", at, {dst, src});
}

//===-- tables
//----------------------------------------------------------------===//

template <class T>
void smem_dist(const tensor<T> &dst, coeff_table_mode_t static_mem_mode,
               Line at = {}) {
  detail::call("tiu.smem_dist", at, {dst, static_mem_mode});
}

} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_SPECIAL_H
