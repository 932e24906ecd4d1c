//===- dma.h - the DMA engine of a core -----------------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_DMA_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_DMA_H

#include "ppl/dma_rows.h"
#include "ppl/element_count.h"

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
  element_count count("dma::mask_select", at);
  mask_select(dst, src, mask, count.tensor(), at);
  return count;
}

/// `src` is a tensor or a gtensor.
template <class T, class S>
element_count nonzero(const gtensor<T> &dst, const S &src, int base_idx = 0,
                      Line at = {}) {
  element_count count("dma::nonzero", at);
  nonzero(dst, src, base_idx, count.tensor(), at);
  return count;
}

} // namespace ppl::dma

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_DMA_H
