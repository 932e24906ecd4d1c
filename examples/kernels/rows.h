//===- rows.h - rows in lanes, in fp32 --------------------------*- C++ -*-===//
//
// What the kernels over rows of fp16 or bf16 (layer_norm, rms_norm, softmax)
// load. Copy it beside them.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_EXAMPLES_KERNELS_ROWS_H
#define WEFT_EXAMPLES_KERNELS_ROWS_H

#include "ppl.h"

/// `columns` values of a vector from `at` on in every lane, in fp32.
template <class T>
static ppl::tensor<float> everyLane(ppl::gtensor<T> &vector, int columns,
                                    int at) {
  ppl::dim4 lanes = {1, LANE_NUM, 1, columns}, piece = {1, 1, 1, columns};
  ppl::tensor<T> loaded(lanes);
  ppl::dma::load_broadcast(loaded, vector.sub_view(piece, {0, 0, 0, at}));
  ppl::tensor<float> wide(lanes);
  ppl::tiu::cast(wide, loaded);
  return wide;
}

/// The `part` of the input of `k` at `at`, in fp32; a tile of it is `k.block`.
template <template <class> class Kernel, class T>
static ppl::tensor<float> loadPiece(Kernel<T> &k, const ppl::dim4 &part,
                                    const ppl::dim4 &at) {
  auto loaded = ppl::make_tensor<T>(k.block, part);
  ppl::dma::load(loaded, k.in.sub_view(part, at));
  auto x = ppl::make_tensor<float>(k.block, part);
  ppl::tiu::cast(x, loaded);
  return x;
}

#endif
