//===- tiu_quant.h - TIU functions: requantize, dequantize ----*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_QUANT_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_QUANT_H

#include "ppl/tensor.h"

/// PPL 4.6.7. A shift > 0 goes left, < 0 right. The forms with `quant` take
/// the numbers of each channel; what a channel's row holds depends on the chip
/// (see the functions' pages).
namespace ppl::tiu {

template <class S>
void dq0(const tensor<float> &dst, const tensor<S> &src, int offset,
         float scale, rounding_mode_t round_mode, Line at = {}) {
  detail::call("tiu.dq0", at,
               {dst, src, detail::Argument(), offset, scale, round_mode});
}
template <class S, class Q>
void dq0(const tensor<float> &dst, const tensor<S> &src, const tensor<Q> &quant,
         rounding_mode_t round_mode, Line at = {}) {
  detail::call(
      "tiu.dq0", at,
      {dst, src, quant, detail::Argument(), detail::Argument(), round_mode});
}

template <class D, class S>
void dq1(const tensor<D> &dst, const tensor<S> &src, int offset, int multiplier,
         int shift, rounding_mode_t round_mode, Line at = {}) {
  detail::call(
      "tiu.dq1", at,
      {dst, src, detail::Argument(), offset, multiplier, shift, round_mode});
}
template <class D, class S, class Q>
void dq1(const tensor<D> &dst, const tensor<S> &src, const tensor<Q> &quant,
         rounding_mode_t round_mode, Line at = {}) {
  detail::call("tiu.dq1", at,
               {dst, src, quant, detail::Argument(), detail::Argument(),
                detail::Argument(), round_mode});
}

template <class D, class S>
void dq2(const tensor<D> &dst, const tensor<S> &src,
         const tensor<uint32> &offset_scale, int gsize, Line at = {}) {
  detail::call("tiu.dq2", at, {dst, src, offset_scale, gsize});
}

template <class D, class S>
void rq0(const tensor<D> &dst, const tensor<S> &src, float scale, float offset,
         rounding_mode_t dst_round_mode, rounding_mode_t src_round_mode,
         Line at = {}) {
  detail::call("tiu.rq0", at,
               {dst, src, detail::Argument(), scale, offset, dst_round_mode,
                src_round_mode});
}
template <class D, class S>
void rq0(const tensor<D> &dst, const tensor<S> &src, const tensor<float> &quant,
         rounding_mode_t dst_round_mode, rounding_mode_t src_round_mode,
         Line at = {}) {
  detail::call("tiu.rq0", at,
               {dst, src, quant, detail::Argument(), detail::Argument(),
                dst_round_mode, src_round_mode});
}

template <class D, class S>
void rq1(const tensor<D> &dst, const tensor<S> &src, int multiplier, int shift,
         int offset, rounding_mode_t round_mode, Line at = {}) {
  detail::call(
      "tiu.rq1", at,
      {dst, src, detail::Argument(), multiplier, shift, offset, round_mode});
}
template <class D, class S, class Q>
void rq1(const tensor<D> &dst, const tensor<S> &src, const tensor<Q> &quant,
         rounding_mode_t round_mode, Line at = {}) {
  detail::call("tiu.rq1", at,
               {dst, src, quant, detail::Argument(), detail::Argument(),
                detail::Argument(), round_mode});
}

} // namespace ppl::tiu

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_QUANT_H
