//===- tiu_index.h - TIU functions: gather, scatter, select ---*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_INDEX_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_INDEX_H

#include "ppl/tensor.h"

/// PPL 4.6.3. `I` is uint8 or uint16; an index out of range stops the machine.
/// Where a constant C is given, an index of all ones is none: it gives C if
/// `fill_const`, else leaves dst as it is.
namespace ppl::tiu {

/// One index list for all channels.
template <class T, class I>
void gather_w(const tensor<T> &dst, const tensor<T> &param,
              const tensor<I> &index, Line at = {}) {
  detail::call("tiu.gather_w", at, {dst, param, index});
}
template <class T, class I, class U>
void gather_w(const tensor<T> &dst, const tensor<T> &param,
              const tensor<I> &index, U C, bool fill_const, Line at = {}) {
  detail::call("tiu.gather_w", at,
               {dst, param, index, C, detail::Argument(), fill_const});
}
/// An index list a channel.
template <class T, class I>
void gather_w(const tensor<T> &dst, const tensor<T> &param,
              const tensor<I> &index, bool is_param_repeated, Line at = {}) {
  detail::call("tiu.gather_w", at,
               {dst, param, index, detail::Argument(), is_param_repeated});
}
template <class T, class I, class U>
void gather_w(const tensor<T> &dst, const tensor<T> &param,
              const tensor<I> &index, U C, bool is_param_repeated,
              bool fill_const, Line at = {}) {
  detail::call("tiu.gather_w", at,
               {dst, param, index, C, is_param_repeated, fill_const});
}

template <class T>
void gather_hw(const tensor<T> &dst, const tensor<T> &param,
               const tensor<uint16> &index, Line at = {}) {
  detail::call("tiu.gather_hw", at, {dst, param, index});
}
template <class T, class U>
void gather_hw(const tensor<T> &dst, const tensor<T> &param,
               const tensor<uint16> &index, U C, bool fill_const,
               Line at = {}) {
  detail::call("tiu.gather_hw", at, {dst, param, index, C, fill_const});
}

template <class T, class I>
void scatter_w(const tensor<T> &dst, const tensor<T> &param,
               const tensor<I> &index, Line at = {}) {
  detail::call("tiu.scatter_w", at, {dst, param, index});
}
template <class T, class I>
void scatter_w(const tensor<T> &dst, const tensor<T> &param,
               const tensor<I> &index, bool is_param_repeated, Line at = {}) {
  detail::call("tiu.scatter_w", at, {dst, param, index, is_param_repeated});
}

template <class T>
void scatter_hw(const tensor<T> &dst, const tensor<T> &param,
                const tensor<uint16> &index, Line at = {}) {
  detail::call("tiu.scatter_hw", at, {dst, param, index});
}

template <class T, class I>
void gather_h(const tensor<T> &dst, const tensor<T> &param,
              const tensor<I> &index, bool is_param_repeated, Line at = {}) {
  detail::call("tiu.gather_h", at,
               {dst, param, index, detail::Argument(), is_param_repeated});
}
template <class T, class I, class U>
void gather_h(const tensor<T> &dst, const tensor<T> &param,
              const tensor<I> &index, U C, bool is_param_repeated,
              bool fill_const, Line at = {}) {
  detail::call("tiu.gather_h", at,
               {dst, param, index, C, is_param_repeated, fill_const});
}

template <class T, class I>
void scatter_h(const tensor<T> &dst, const tensor<T> &param,
               const tensor<I> &index, bool is_param_repeated, Line at = {}) {
  detail::call("tiu.scatter_h", at, {dst, param, index, is_param_repeated});
}

template <class T, class S>
void nonzero(const tensor<T> &dst_idx, const tensor<uint16> &dst_cnt,
             const tensor<S> &src, Line at = {}) {
  detail::call("tiu.nonzero", at, {dst_idx, dst_cnt, src});
}

template <class T, class M>
void mask_select(const tensor<T> &dst, const tensor<uint16> &dst_cnt,
                 const tensor<T> &src, const tensor<M> &mask, Line at = {}) {
  detail::call("tiu.mask_select", at, {dst, dst_cnt, src, mask});
}

} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_INDEX_H
