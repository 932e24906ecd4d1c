//===- tiu_move.h - TIU functions: copies and transposes ------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_MOVE_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_MOVE_H

#include "ppl/tensor.h"

/// PPL 4.6.10, and two of the deprecated functions (4.11.3, 4.11.5).
namespace ppl::tiu {

template <class T>
void move(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("tiu.move", at, {dst, src});
}

/// The first `num` channels of dst, all if 0.
template <class T>
void broadcast(const tensor<T> &dst, const tensor<T> &src, int num = 0,
               Line at = {}) {
  detail::call("tiu.broadcast", at, {dst, src, num});
}

template <class T>
void move_cross_lane(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("tiu.move_cross_lane", at, {dst, src});
}

template <class T, class U>
void fill(const tensor<T> &dst, U scalar, Line at = {}) {
  detail::call("tiu.fill", at, {dst, scalar});
}
template <class T>
void zero(const tensor<T> &dst, Line at = {}) {
  detail::call("tiu.fill", at, {dst, 0});
}

template <class T>
void transpose_cw(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("tiu.transpose_cw", at, {dst, src});
}
template <class T>
void transpose_wc(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("tiu.transpose_wc", at, {dst, src});
}

/// A table of static memory in every lane; of the same meaning.
template <class T>
void load_coeff(const tensor<T> &dst, coeff_table_mode_t coeff_mode,
                Line at = {}) {
  detail::call("tiu.smem_bcast", at, {dst, coeff_mode});
}
template <class T>
void smem_bcast(const tensor<T> &dst, coeff_table_mode_t coeff_mode,
                Line at = {}) {
  load_coeff(dst, coeff_mode, at);
}

/// start + step * w in every lane; `c` channels, 0 for all of dst.
inline void arange_broadcast(const tensor<int> &dst, int start, int step,
                             int num, int c = 0, Line at = {}) {
  detail::call("tiu.arange_broadcast", at, {dst, start, step, num, c});
}

} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_MOVE_H
