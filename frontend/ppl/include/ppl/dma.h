//===- dma.h - the DMA engine of a core -----------------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_DMA_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_DMA_H

#include "ppl/element_count.h"
#include "ppl/tensor.h"
#include "ppl/vector_setting.h"

/// Functions that move bits between global, L2 and local memory; they never
/// convert numbers (PPL 4.3). docs/ppl has a page on each.
namespace ppl::dma {

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

template <class T>
void load(const tensor<T> &dst, const gtensor<T> &src, Line at = {}) {
  detail::call("dma.load", at, {dst, src});
}
template <class T>
void store(const gtensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("dma.store", at, {dst, src});
}
template <class T>
void move(const gtensor<T> &dst, const gtensor<T> &src, Line at = {}) {
  detail::call("dma.move", at, {dst, src});
}
template <class T>
void move(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("dma.move", at, {dst, src});
}
template <class T>
void load_compact(const tensor<T> &dst, const gtensor<T> &src, Line at = {}) {
  detail::call("dma.load_compact", at, {dst, src});
}
template <class T>
void store_compact(const gtensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("dma.store_compact", at, {dst, src});
}

//===----------------------------------------------------------------------===//
// Copies that exchange or turn axes
//===----------------------------------------------------------------------===//

template <class T>
void load_transpose(const tensor<T> &dst, const gtensor<T> &src,
                    transpose_mode_t trans_mode, Line at = {}) {
  detail::call("dma.load_transpose", at, {dst, src, trans_mode});
}
template <class T>
void store_transpose(const gtensor<T> &dst, const tensor<T> &src,
                     transpose_mode_t trans_mode, Line at = {}) {
  detail::call("dma.store_transpose", at, {dst, src, trans_mode});
}
template <class T>
void transpose(const gtensor<T> &dst, const gtensor<T> &src,
               transpose_mode_t trans_mode, Line at = {}) {
  detail::call("dma.transpose", at, {dst, src, trans_mode});
}
template <class T>
void transpose(const tensor<T> &dst, const tensor<T> &src,
               transpose_mode_t trans_mode, Line at = {}) {
  detail::call("dma.transpose", at, {dst, src, trans_mode});
}
template <class T>
void load_transpose_cw(const tensor<T> &dst, const gtensor<T> &src,
                       Line at = {}) {
  detail::call("dma.load_transpose_cw", at, {dst, src});
}
template <class T>
void load_transpose_nc(const tensor<T> &dst, const gtensor<T> &src,
                       Line at = {}) {
  detail::call("dma.load_transpose_nc", at, {dst, src});
}
template <class T>
void store_transpose_cw(const gtensor<T> &dst, const tensor<T> &src,
                        Line at = {}) {
  detail::call("dma.store_transpose_cw", at, {dst, src});
}
template <class T>
void store_transpose_nc(const gtensor<T> &dst, const tensor<T> &src,
                        Line at = {}) {
  detail::call("dma.store_transpose_nc", at, {dst, src});
}
template <class T>
void transpose_cw(const gtensor<T> &dst, const gtensor<T> &src, Line at = {}) {
  detail::call("dma.transpose_cw", at, {dst, src});
}
template <class T>
void transpose_cw(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("dma.transpose_cw", at, {dst, src});
}
template <class T>
void transpose_nc(const gtensor<T> &dst, const gtensor<T> &src, Line at = {}) {
  detail::call("dma.transpose_nc", at, {dst, src});
}
template <class T>
void transpose_nc(const tensor<T> &dst, const tensor<T> &src, Line at = {}) {
  detail::call("dma.transpose_nc", at, {dst, src});
}

template <class T>
void reverse(const tensor<T> &dst, const tensor<T> &src, int dim,
             Line at = {}) {
  detail::call("dma.reverse", at, {dst, src, dim});
}
template <class T>
void reverse(const tensor<T> &dst, const gtensor<T> &src, int dim,
             Line at = {}) {
  detail::call("dma.reverse", at, {dst, src, dim});
}
template <class T>
void reverse(const gtensor<T> &dst, const tensor<T> &src, int dim,
             Line at = {}) {
  detail::call("dma.reverse", at, {dst, src, dim});
}
template <class T>
void reverse(const gtensor<T> &dst, const gtensor<T> &src, int dim,
             Line at = {}) {
  detail::call("dma.reverse", at, {dst, src, dim});
}

//===----------------------------------------------------------------------===//
// Vector registers of SG2380; vset() goes first
//===----------------------------------------------------------------------===//

template <class T>
void vload(int dst_v_idx, const gtensor<T> &src, Line at = {}) {
  const auto &[ew, lmul, length] = detail::vectorSetting;
  detail::call("dma.vload", at, {dst_v_idx, src, ew, lmul, length});
}
template <class T>
void vstore(const gtensor<T> &dst, int v_idx, Line at = {}) {
  const auto &[ew, lmul, length] = detail::vectorSetting;
  detail::call("dma.vstore", at, {dst, v_idx, ew, lmul, length});
}
template <class T>
void move_tv(const tensor<T> &dst, int v_idx, Line at = {}) {
  const auto &[ew, lmul, length] = detail::vectorSetting;
  detail::call("dma.move_tv", at, {dst, v_idx, ew, lmul, length});
}
/// To static memory, from byte `smem_offset` on.
inline void move_tv(int smem_offset, int v_idx, Line at = {}) {
  const auto &[ew, lmul, length] = detail::vectorSetting;
  detail::call("dma.move_tv", at, {smem_offset, v_idx, ew, lmul, length});
}
template <class T>
void move_distv(const tensor<T> &dst, int v_idx, Line at = {}) {
  const auto &[ew, lmul, length] = detail::vectorSetting;
  detail::call("dma.move_distv", at, {dst, v_idx, ew, lmul, length});
}
template <class T>
void move_vv(const tensor<T> &dst, int v_idx0, int v_idx1, Line at = {}) {
  const auto &[ew, lmul, length] = detail::vectorSetting;
  detail::call("dma.move_vv", at, {dst, v_idx0, v_idx1, ew, lmul, length});
}
/// To static memory, from byte `smem_offset` on.
inline void move_vv(int smem_offset, int v_idx0, int v_idx1, Line at = {}) {
  const auto &[ew, lmul, length] = detail::vectorSetting;
  detail::call("dma.move_vv", at,
               {smem_offset, v_idx0, v_idx1, ew, lmul, length});
}
template <class T>
void move_distvv(const tensor<T> &dst, int v_idx0, int v_idx1, Line at = {}) {
  const auto &[ew, lmul, length] = detail::vectorSetting;
  detail::call("dma.move_distvv", at, {dst, v_idx0, v_idx1, ew, lmul, length});
}
template <class T>
void move_vt(int dst_v_idx, const tensor<T> &src, Line at = {}) {
  const auto &[ew, lmul, length] = detail::vectorSetting;
  detail::call("dma.move_vt", at, {dst_v_idx, src, ew, lmul, length});
}
/// From static memory, from byte `smem_offset` on.
inline void move_vt(int dst_v_idx, int smem_offset, Line at = {}) {
  const auto &[ew, lmul, length] = detail::vectorSetting;
  detail::call("dma.move_vt", at, {dst_v_idx, smem_offset, ew, lmul, length});
}
template <class T>
void move_vcoll(int dst_v_idx, const tensor<T> &src, Line at = {}) {
  const auto &[ew, lmul, length] = detail::vectorSetting;
  detail::call("dma.move_vcoll", at, {dst_v_idx, src, ew, lmul, length});
}

//===----------------------------------------------------------------------===//
// Constants and channels
//===----------------------------------------------------------------------===//

template <class T0, class T1>
void fill(const gtensor<T0> &dst, T1 C, Line at = {}) {
  detail::call("dma.fill", at, {dst, C});
}
template <class T0, class T1>
void fill(const tensor<T0> &dst, T1 C, Line at = {}) {
  detail::call("dma.fill", at, {dst, C});
}
template <class T>
void zero(const tensor<T> &dst, Line at = {}) {
  detail::call("dma.zero", at, {dst});
}
template <class T>
void zero(const gtensor<T> &dst, Line at = {}) {
  detail::call("dma.zero", at, {dst});
}

/// `num` channels, those of dst if 0.
template <class T>
void load_broadcast(const tensor<T> &dst, const gtensor<T> &src, int num = 0,
                    Line at = {}) {
  detail::call("dma.load_broadcast", at, {dst, src, num});
}
template <class T>
void broadcast(const tensor<T> &dst, const tensor<T> &src, int num = 0,
               Line at = {}) {
  detail::call("dma.broadcast", at, {dst, src, num});
}

//===----------------------------------------------------------------------===//
// Rows and channels by index: every operand is a tensor or a gtensor
//===----------------------------------------------------------------------===//

template <class D, class P, class I, class T3>
void gather_h(const D &dst, const P &param, const I &index, T3 C,
              int index_start_pos = 0, Line at = {}) {
  detail::call("dma.gather_h", at, {dst, param, index, C, index_start_pos});
}
template <class D, class P, class I>
void scatter_h(const D &dst, const P &param, const I &index, int start_pos = 0,
               int inplace_add = 0, Line at = {}) {
  detail::call("dma.scatter_h", at,
               {dst, param, index, start_pos, inplace_add != 0});
}
template <class D, class P, class I, class T3>
void gather_c(const D &dst, const P &param, const I &index, T3 C,
              int index_start_pos = 0, Line at = {}) {
  detail::call("dma.gather_c", at, {dst, param, index, C, index_start_pos});
}
template <class D, class P, class I>
void scatter_c(const D &dst, const P &param, const I &index, int start_pos = 0,
               bool inplace_add = false, Line at = {}) {
  detail::call("dma.scatter_c", at,
               {dst, param, index, start_pos, inplace_add});
}

/// Into L2. T2 is the whole operand: tensor<T1> or gtensor<T1>. `scale` belongs
/// to opcodes that no chip of the manual has.
template <class T1, class T2>
void reduce(const gtensor<T1> &dst, const T2 &src, all_reduce_psum_t psum,
            all_reduce_opcode_t opcode, float scale = 0.0f, Line at = {}) {
  if (scale != 0.0f)
    detail::recorder().fail(detail::recorder().self,
                            "unsupported: dma::reduce with a scale; multiply "
                            "src first and leave scale 0",
                            at);
  detail::call("dma.reduce", at, {dst, src, psum, opcode});
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// `src` and `mask` are each a tensor or a gtensor.
template <class T0, class S, class M>
element_count mask_select(const gtensor<T0> &dst, const S &src, const M &mask,
                          Line at = {}) {
  element_count count("dma::mask_select", at);
  detail::call("dma.mask_select", at, {dst, src, mask, count.tensor()});
  return count;
}

/// `src` is a tensor or a gtensor.
template <class T0, class S>
element_count nonzero(const gtensor<T0> &dst, const S &src, int base_idx = 0,
                      Line at = {}) {
  element_count count("dma::nonzero", at);
  detail::call("dma.nonzero", at, {dst, src, base_idx, count.tensor()});
  return count;
}

template <class T0, class T1, class T2, class T3>
void mask_batch_bcast(const tensor<T0> &dst, const tensor<T1> &count,
                      const tensor<T2> &src, const tensor<T3> &mask,
                      bool is_repeat, Line at = {}) {
  detail::call("dma.mask_batch_bcast", at, {dst, count, src, mask, is_repeat});
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

inline void send_msg(int msg_id, int msg_cnt, Line at = {}) {
  detail::call("dma.send_msg", at, {msg_id, msg_cnt});
}
inline void wait_msg(int msg_id, int msg_cnt, Line at = {}) {
  detail::call("dma.wait_msg", at, {msg_id, msg_cnt});
}

} // namespace ppl::dma

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_DMA_H
