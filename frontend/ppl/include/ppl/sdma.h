//===- sdma.h - the DMA engine between L2 and DRAM ------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_SDMA_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_SDMA_H

#include "ppl/tensor.h"

/// Functions of the system DMA engine, which reaches global and L2 memory only
/// (PPL 4.4). docs/ppl has a page on each.
namespace ppl::sdma {

template <class T>
void move(const gtensor<T> &dst, const gtensor<T> &src, Line at = {}) {
  detail::call("sdma.move", at, {dst, src});
}
/// Equally many elements, both without gaps.
template <class T>
void move_compact(const gtensor<T> &dst, const gtensor<T> &src, Line at = {}) {
  detail::call("sdma.move_compact", at, {dst, src});
}
template <class T0, class T1>
void fill(const gtensor<T0> &dst, T1 C, Line at = {}) {
  detail::call("sdma.fill", at, {dst, C});
}
template <class T>
void zero(const gtensor<T> &dst, Line at = {}) {
  detail::call("sdma.zero", at, {dst});
}
template <class T1, class T2>
void reduce(const gtensor<T1> &dst, const T2 &src, all_reduce_psum_t psum,
            all_reduce_opcode_t opcode, Line at = {}) {
  detail::call("sdma.reduce", at, {dst, src, psum, opcode});
}

template <class T>
void transpose_cw(const gtensor<T> &dst, const gtensor<T> &src, Line at = {}) {
  detail::call("sdma.transpose_cw", at, {dst, src});
}
template <class T>
void transpose_nc(const gtensor<T> &dst, const gtensor<T> &src, Line at = {}) {
  detail::call("sdma.transpose_nc", at, {dst, src});
}
template <class T>
void transpose(const gtensor<T> &dst, const gtensor<T> &src,
               transpose_mode_t trans_mode, Line at = {}) {
  detail::call("sdma.transpose", at, {dst, src, trans_mode});
}

template <class T0, class T1, class T2, class T3>
void gather_h(const gtensor<T0> &dst, const gtensor<T1> &param,
              const gtensor<T2> &index, T3 C, Line at = {}) {
  detail::call("sdma.gather_h", at, {dst, param, index, C});
}

/// The type of the fifth argument tells two forms apart: a bool in the one of
/// today, an int in a deprecated one.
template <class T0, class T1, class T2, class B,
          std::enable_if_t<std::is_same_v<B, bool>, int> = 0>
void scatter_h(const gtensor<T0> &dst, const gtensor<T1> &param,
               const gtensor<T2> &index, int start_pos, B result_add,
               Line at = {}) {
  detail::call("sdma.scatter_h", at,
               {dst, param, index, start_pos, result_add});
}
// Deprecated: `port_id` says which of the engine's queues (-1: any).
template <class T0, class T1, class T2>
void scatter_h(const gtensor<T0> &dst, const gtensor<T1> &param,
               const gtensor<T2> &index, Line at = {}) {
  detail::call("sdma.scatter_h", at, {dst, param, index, 0, false, -1});
}
template <class T0, class T1, class T2>
void scatter_h(const gtensor<T0> &dst, const gtensor<T1> &param,
               const gtensor<T2> &index, int port_id, Line at = {}) {
  detail::call("sdma.scatter_h", at, {dst, param, index, 0, false, port_id});
}
template <class T0, class T1, class T2>
void scatter_h(const gtensor<T0> &dst, const gtensor<T1> &param,
               const gtensor<T2> &index, int port_id, int start_pos,
               Line at = {}) {
  detail::call("sdma.scatter_h", at,
               {dst, param, index, start_pos, false, port_id});
}
template <class T0, class T1, class T2>
void scatter_h(const gtensor<T0> &dst, const gtensor<T1> &param,
               const gtensor<T2> &index, int port_id, int start_pos,
               bool result_add, Line at = {}) {
  detail::call("sdma.scatter_h", at,
               {dst, param, index, start_pos, result_add, port_id});
}

inline void send_msg(int msg_id, int msg_cnt, Line at = {}) {
  detail::call("sdma.send_msg", at, {msg_id, msg_cnt});
}
inline void wait_msg(int msg_id, int msg_cnt, Line at = {}) {
  detail::call("sdma.wait_msg", at, {msg_id, msg_cnt});
}

/// Deprecated.
inline void vsdma_initialize(Line at = {}) {
  detail::call("sdma.vsdma_initialize", at, {});
}
/// Deprecated.
inline void vsdma_poll(Line at = {}) {
  detail::call("sdma.vsdma_poll", at, {});
}

} // namespace ppl::sdma

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_SDMA_H
