//===- tiu_pool.h - TIU functions: pooling --------------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_POOL_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_POOL_H

#include "ppl/tiu_window.h"

/// PPL 4.6.6. The manual's order is kernel, pad, stride, dilation; that of its
/// newer header, kernel, stride, dilation, pad, is there as well.
namespace ppl::tiu {

template <class T>
void pool_max(const tensor<T> &dst, const tensor<T> &src, detail::Pair kernel,
              detail::Sides pad, detail::Pair stride, detail::Pair dilation,
              Line at = {}) {
  detail::call("tiu.pool_max", at, {dst, src, kernel, pad, stride, dilation});
}
template <class T>
void pool_max(const tensor<T> &dst, const tensor<T> &src, detail::Pair kernel,
              detail::Pair stride, detail::Pair dilation, detail::Sides pad,
              Line at = {}) {
  pool_max(dst, src, kernel, pad, stride, dilation, at);
}
template <class T>
void fpool_max(const tensor<T> &dst, const tensor<T> &src, detail::Pair kernel,
               detail::Sides pad, detail::Pair stride, detail::Pair dilation,
               Line at = {}) {
  detail::call("tiu.fpool_max", at, {dst, src, kernel, pad, stride, dilation});
}
template <class T>
void fpool_max(const tensor<T> &dst, const tensor<T> &src, detail::Pair kernel,
               detail::Pair stride, detail::Pair dilation, detail::Sides pad,
               Line at = {}) {
  fpool_max(dst, src, kernel, pad, stride, dilation, at);
}

/// Not on BM1684X.
template <class T>
void pool_min(const tensor<T> &dst, const tensor<T> &src, detail::Pair kernel,
              detail::Sides pad, detail::Pair stride, detail::Pair dilation,
              Line at = {}) {
  detail::call("tiu.pool_min", at, {dst, src, kernel, pad, stride, dilation});
}
template <class T>
void pool_min(const tensor<T> &dst, const tensor<T> &src, detail::Pair kernel,
              detail::Pair stride, detail::Pair dilation, detail::Sides pad,
              Line at = {}) {
  pool_min(dst, src, kernel, pad, stride, dilation, at);
}
template <class T>
void fpool_min(const tensor<T> &dst, const tensor<T> &src, detail::Pair kernel,
               detail::Sides pad, detail::Pair stride, detail::Pair dilation,
               Line at = {}) {
  detail::call("tiu.fpool_min", at, {dst, src, kernel, pad, stride, dilation});
}
template <class T>
void fpool_min(const tensor<T> &dst, const tensor<T> &src, detail::Pair kernel,
               detail::Pair stride, detail::Pair dilation, detail::Sides pad,
               Line at = {}) {
  fpool_min(dst, src, kernel, pad, stride, dilation, at);
}

/// scale * sum of the window, shifted to the right by rshift.
template <class D, class S>
void pool_avg(const tensor<D> &dst, const tensor<S> &src, detail::Pair kernel,
              detail::Sides pad, detail::Pair stride, detail::Pair dilation,
              detail::Pair ins, int scale, int rshift, Line at = {}) {
  detail::call("tiu.pool_avg", at,
               {dst, src, kernel, pad, stride, dilation, ins, scale, rshift});
}
template <class D, class S>
void pool_avg(const tensor<D> &dst, const tensor<S> &src, detail::Pair kernel,
              detail::Pair stride, detail::Pair dilation, detail::Sides pad,
              detail::Pair ins, int scale = 1, int rshift = 0, Line at = {}) {
  pool_avg(dst, src, kernel, pad, stride, dilation, ins, scale, rshift, at);
}
template <class D, class S>
void pool_avg(const tensor<D> &dst, const tensor<S> &src, detail::Pair kernel,
              detail::Pair stride, detail::Pair dilation, detail::Sides pad,
              int scale = 1, int rshift = 0, Line at = {}) {
  pool_avg(dst, src, kernel, pad, stride, dilation,
           detail::Pair(static_cast<const dim2 *>(nullptr)), scale, rshift, at);
}

/// Sum of element * scale over the window: not a mean unless scale makes it
/// one.
template <class T>
void fpool_avg(const tensor<T> &dst, const tensor<T> &src, detail::Pair kernel,
               detail::Sides pad, detail::Pair stride, detail::Pair dilation,
               detail::Pair ins, float scale = 1.0f, Line at = {}) {
  detail::call("tiu.fpool_avg", at,
               {dst, src, kernel, pad, stride, dilation, ins, scale});
}
template <class T>
void fpool_avg(const tensor<T> &dst, const tensor<T> &src, detail::Pair kernel,
               detail::Pair stride, detail::Pair dilation, detail::Sides pad,
               detail::Pair ins, float scale = 1.0f, Line at = {}) {
  fpool_avg(dst, src, kernel, pad, stride, dilation, ins, scale, at);
}
template <class T>
void fpool_avg(const tensor<T> &dst, const tensor<T> &src, detail::Pair kernel,
               detail::Pair stride, detail::Pair dilation, detail::Sides pad,
               float scale = 1.0f, Line at = {}) {
  fpool_avg(dst, src, kernel, pad, stride, dilation,
            detail::Pair(static_cast<const dim2 *>(nullptr)), scale, at);
}

} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_POOL_H
