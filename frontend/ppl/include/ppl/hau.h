//===- hau.h - the sorting engine -----------------------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_HAU_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_HAU_H

#include "ppl/hau_rows.h"

/// Functions of the sorting engine, which reaches global and L2 memory only
/// (PPL 4.5). Here are the forms of the manual. Whether there are several rows
/// is in the shape of src; a contradiction is the recorder's to report.
namespace ppl::hau {

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

} // namespace ppl::hau

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_HAU_H
