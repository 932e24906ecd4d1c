//===- rows.h - tiles of 16 bits, computed in fp32 --------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_ROWS_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_ROWS_H

#include "ppl/ppl.h"

namespace ppl {

/// The `part` of `from` at `at`, in fp32; the tiles of a loop have room for
/// `block` (make_tensor).
template <class T>
tensor<float> load_as_float(const gtensor<T> &from, const dim4 &block,
                            const dim4 &part, const dim4 &at) {
  auto loaded = make_tensor<T>(block, part);
  dma::load(loaded, from.sub_view(part, at));
  auto x = make_tensor<float>(block, part);
  tiu::cast(x, loaded);
  return x;
}

/// `columns` values of the vector [1, 1, 1, w] from `at` on in every lane, in
/// fp32.
template <class T>
tensor<float> broadcast_as_float(const gtensor<T> &vector, int columns,
                                 int at) {
  dim4 lanes = {1, LANE_NUM, 1, columns}, piece = {1, 1, 1, columns};
  tensor<T> loaded(lanes);
  dma::load_broadcast(loaded, vector.sub_view(piece, {0, 0, 0, at}));
  tensor<float> wide(lanes);
  tiu::cast(wide, loaded);
  return wide;
}

/// Makes `whole`, which computes rows of a `block` each, or if they do not fit
/// `pieces`, which computes them in pieces of block.w elements: of the widest
/// that fit. What `attempt` gave last.
template <class T, class Whole, class Pieces>
int attempt_rows(dim4 &block, Whole &&whole, Pieces &&pieces) {
  int code = attempt(whole);
  while (code && block.w > get_eu_num<T>()) {
    block.w = align(div_up(block.w, 2), get_eu_num<T>());
    code = attempt(pieces);
  }
  return code;
}

} // namespace ppl

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_ROWS_H
