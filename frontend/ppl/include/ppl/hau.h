//===- hau.h - the sorting engine -----------------------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_HAU_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_HAU_H

#include "ppl/tensor.h"

/// Functions of the sorting engine, which reaches global and L2 memory only
/// (PPL 4.5). docs/ppl has a page on each.
namespace ppl::hau {

/// The first K elements of every sorted row of src.
template <class T>
void topk(const gtensor<T> &dst, const gtensor<T> &src, int K, bool descended,
          Line at = {}) {
  detail::call(
      "hau.topk", at,
      {dst, detail::Argument(), src, detail::Argument(), K, descended});
}
/// The same with their positions.
template <class T>
void topk(const gtensor<T> &dst, const gtensor<int> &dst_idx,
          const gtensor<T> &src, int K, bool descended, Line at = {}) {
  detail::call("hau.topk", at,
               {dst, dst_idx, src, detail::Argument(), K, descended});
}
/// The same with the indices that src_idx gives them.
template <class T>
void topk(const gtensor<T> &dst, const gtensor<int> &dst_idx,
          const gtensor<T> &src, const gtensor<int> &src_idx, int K,
          bool descended, Line at = {}) {
  detail::call("hau.topk", at, {dst, dst_idx, src, src_idx, K, descended});
}

// The forms of the manual. Whether there are several rows is in the shape of
// src; a contradiction is the recorder's to report.
namespace manual {
template <class T>
void checkRows(const gtensor<T> &src, bool is2D, Line at) {
  dim4 shape = src.getShape();
  if (is2D || (shape.n == 1 && shape.c == 1 && shape.h == 1) || src.id == 0)
    return;
  detail::recorder().fail(detail::recorder().self,
                          "hau.topk: is2D is false and src has several rows; "
                          "reshape src to 1,1,1,w or set is2D",
                          at);
}
} // namespace manual
template <class T>
void topk(const gtensor<T> &dst, const gtensor<T> &src, bool is2D, int K,
          bool descended, Line at = {}) {
  manual::checkRows(src, is2D, at);
  topk(dst, src, K, descended, at);
}
template <class T>
void topk(const gtensor<T> &dst, const gtensor<int> &dst_idx,
          const gtensor<T> &src, bool is2D, int K, bool descended,
          Line at = {}) {
  manual::checkRows(src, is2D, at);
  topk(dst, dst_idx, src, K, descended, at);
}
template <class T>
void topk(const gtensor<T> &dst, const gtensor<int> &dst_idx,
          const gtensor<T> &src, const gtensor<int> &src_idx, bool is2D, int K,
          bool descended, Line at = {}) {
  manual::checkRows(src, is2D, at);
  topk(dst, dst_idx, src, src_idx, K, descended, at);
}

template <class T0, class T1, class T2>
void gather_line(const gtensor<T0> &dst, const gtensor<T0> &param,
                 const gtensor<T1> &index, T2 C, int start, int end,
                 bool fill_const, Line at = {}) {
  detail::call("hau.gather_line", at,
               {dst, param, index, C, start, end, fill_const});
}

inline void send_msg(int msg_id, int msg_cnt, Line at = {}) {
  detail::call("hau.send_msg", at, {msg_id, msg_cnt});
}
inline void wait_msg(int msg_id, int msg_cnt, Line at = {}) {
  detail::call("hau.wait_msg", at, {msg_id, msg_cnt});
}

} // namespace ppl::hau

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_HAU_H
