//===- dma.h - the DMA engine of a core -----------------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_DMA_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_DMA_H

#include "ppl/dma_rows.h"
#include "ppl/element_count.h"
#include "ppl/kernel.h"

/// Functions that move bits between global, L2 and local memory; they never
/// convert numbers (PPL 4.3). Here are those that are more than a call.
namespace ppl::dma {

/// `scale` belongs to opcodes that no chip of the manual has.
template <class T, class S>
void reduce(const gtensor<T> &dst, const S &src, all_reduce_psum_t psum,
            all_reduce_opcode_t opcode, float scale, Line at = {}) {
  if (scale != 0.0f)
    detail::recorder().fail(detail::recorder().self,
                            "unsupported: dma::reduce with a scale; multiply "
                            "src first and leave scale 0",
                            at);
  reduce(dst, src, psum, opcode, at);
}

/// `src` and `mask` are each a tensor or a gtensor.
template <class T, class S, class M>
element_count mask_select(const gtensor<T> &dst, const S &src, const M &mask,
                          Line at = {}) {
  element_count count("dma::mask_select", src.getShape(), at);
  mask_select(dst, src, mask, count.tensor(), at);
  return count;
}

/// The name that the manual's examples have for it.
template <class T, class S, class M>
element_count mask(const gtensor<T> &dst, const S &src, const M &mask,
                   Line at = {}) {
  return mask_select(dst, src, mask, at);
}

/// `src` is a tensor or a gtensor.
template <class T, class S>
element_count nonzero(const gtensor<T> &dst, const S &src, int base_idx = 0,
                      Line at = {}) {
  element_count count("dma::nonzero", src.getShape(), at);
  nonzero(dst, src, base_idx, count.tensor(), at);
  return count;
}

namespace pointers {
/// The part of global memory behind `pointer` that a local tensor is copied
/// from or to: of its shape, `offset` and `stride` in elements. Without a
/// stride it is continuous.
template <class T, class P>
gtensor<T> behind(P *pointer, const tensor<T> &local, const dim4 *offset,
                  const dim4 *stride, Line at) {
  static_assert(std::is_same_v<std::remove_cv_t<P>, T>,
                "the pointer must be to elements of the tensor's type");
  static_assert(bitwidth_v<T> % 8 == 0, "elements of whole bytes only");
  dim4 shape = local.getShape();
  if (shape.n == 0) {
    detail::refuse("a pointer has no shape that the tensor could take; give "
                   "the tensor one, as in tensor<fp16> x(shape), or load from "
                   "a gtensor",
                   at);
    return gtensor<T>(typename gtensor<T>::Made{0});
  }
  if (local.id == 0) // its error has been reported
    return gtensor<T>(typename gtensor<T>::Made{0});
  dim4 o = offset ? *offset : dim4{0, 0, 0, 0};
  int64_t plane = int64_t(shape.h) * shape.w;
  int64_t start = stride
                      ? int64_t(o.n) * stride->n + int64_t(o.c) * stride->c +
                            int64_t(o.h) * stride->h + int64_t(o.w) * stride->w
                      : (int64_t(o.n) * shape.c + o.c) * plane +
                            int64_t(o.h) * shape.w + o.w;
  const P *first = pointer ? pointer + start : pointer;
  return stride ? make_gtensor<T>(shape, GLOBAL, first, *stride, at)
                : gtensor<T>(shape, GLOBAL, first, at);
}
/// A `dim4 *` of the manual or a dim4.
struct Four {
  const dim4 *values;
  Four(const dim4 *values) : values(values) {}
  Four(const dim4 &values) : values(&values) {}
};
} // namespace pointers

/// A pointer in place of a gtensor: continuous memory of the tensor's shape.
template <class T, class P>
void load(const tensor<T> &dst, P *src, Line at = {}) {
  load(dst, pointers::behind(src, dst, nullptr, nullptr, at), at);
}
template <class T, class P>
void load_compact(const tensor<T> &dst, P *src, Line at = {}) {
  load_compact(dst, pointers::behind(src, dst, nullptr, nullptr, at), at);
}
template <class T, class P>
void store(P *dst, const tensor<T> &src, Line at = {}) {
  store(pointers::behind(dst, src, nullptr, nullptr, at), src, at);
}
template <class T, class P>
void store_compact(P *dst, const tensor<T> &src, Line at = {}) {
  store_compact(pointers::behind(dst, src, nullptr, nullptr, at), src, at);
}
/// With the place of the tensor's first element and the strides of the memory,
/// all in elements; either may be null.
template <class T, class P>
void load(const tensor<T> &dst, P *src, pointers::Four offset,
          pointers::Four stride, Line at = {}) {
  load(dst, pointers::behind(src, dst, offset.values, stride.values, at), at);
}
template <class T, class P>
void load_compact(const tensor<T> &dst, P *src, pointers::Four offset,
                  pointers::Four stride, Line at = {}) {
  load_compact(
      dst, pointers::behind(src, dst, offset.values, stride.values, at), at);
}
template <class T, class P>
void store(P *dst, const tensor<T> &src, pointers::Four offset,
           pointers::Four stride, Line at = {}) {
  store(pointers::behind(dst, src, offset.values, stride.values, at), src, at);
}
template <class T, class P>
void store_compact(P *dst, const tensor<T> &src, pointers::Four offset,
                   pointers::Four stride, Line at = {}) {
  store_compact(pointers::behind(dst, src, offset.values, stride.values, at),
                src, at);
}

} // namespace ppl::dma

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_DMA_H
