//===- bitonic.h - networks that sort lists in lanes -----------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_BITONIC_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_BITONIC_H

#include "ppl/ppl.h"

namespace ppl::bitonic {

/// Sorted lists in lanes: the element of rank r of list j of row q lies at
/// (r * rows + q) * width + j of its lane. Keys are integers in the order of
/// the floats.
struct Lists {
  tensor<int32> keys, indices;
  int lanes, length, rows, width;

  int rank() const { return rows * width; } // elements of one rank
  int size() const { return length * rank(); }
};

inline Lists makeLists(int lanes, int length, int rows, int width) {
  dim4 shape = {1, lanes, length * rows, width};
  return {
      tensor<int32>(shape), tensor<int32>(shape), lanes, length, rows, width};
}

/// `groups` groups of `pairs` pieces of `size` elements, in each lane.
inline tensor<int32> pieces(const tensor<int32> &x, const Lists &l, int from,
                            int groups, int groupStride, int pairs,
                            int pairStride, int size) {
  dim4 flat = {1, l.lanes, 1, l.size()},
       rest = {1, l.lanes, 1, l.size() - from};
  return x.view(flat)
      .sub_view(rest, {0, 0, 0, from})
      .view({groups, l.lanes, pairs, size},
            {groupStride, l.size(), pairStride, 1});
}

/// All ones where b goes before a: a larger key, or an equal one with a smaller
/// index.
inline tensor<int32> goesFirst(const tensor<int32> &keyB,
                               const tensor<int32> &keyA,
                               const tensor<int32> &indexB,
                               const tensor<int32> &indexA) {
  dim4 shape = keyA.getShape();
  tensor<int32> larger(shape), equal(shape), earlier(shape), tied(shape),
      first(shape);
  tiu::gt(larger, keyB, keyA, -1);
  tiu::eq(equal, keyB, keyA, -1);
  tiu::gt(earlier, indexA, indexB, -1);
  tiu::bitwise_and(tied, equal, earlier);
  tiu::bitwise_or(first, larger, tied);
  return first;
}

/// One stage of a bitonic network (Batcher 1968): ranks `stride` apart are put
/// in order. Groups of `run` ranks are in falling order if `falls`, else in
/// falling and rising order by turns.
inline Lists exchange(const Lists &in, int run, int stride, bool falls) {
  Lists out = makeLists(in.lanes, in.length, in.rows, in.width);
  int unit = in.rank(), s = stride * unit, pairs = run / (2 * stride);
  bool alternate = run < in.length;
  int step = alternate ? 2 * run : run, groups = in.length / step;
  for (int turn = 0; turn < (alternate ? 2 : 1); ++turn) {
    auto piece = [&](const tensor<int32> &x, bool second) {
      return pieces(x, in, turn * run * unit + (second ? s : 0), groups,
                    step * unit, pairs, 2 * s, s);
    };
    bool swapped = (turn == 1) == falls;
    auto keyA = piece(in.keys, swapped), keyB = piece(in.keys, !swapped),
         indexA = piece(in.indices, swapped),
         indexB = piece(in.indices, !swapped);
    auto first = goesFirst(keyB, keyA, indexB, indexA);
    tensor<int32> both(first.getShape()), change(first.getShape());
    tiu::bitwise_xor(both, indexA, indexB);
    tiu::bitwise_and(change, both, first);
    tiu::bitwise_xor(piece(out.indices, swapped), indexA, change);
    tiu::bitwise_xor(piece(out.indices, !swapped), indexB, change);
    tiu::max(piece(out.keys, swapped), keyA, keyB);
    tiu::min(piece(out.keys, !swapped), keyA, keyB);
  }
  return out;
}

/// Lists that rise and then fall, or the other way round, in falling order.
inline Lists clean(const Lists &l, int run, int stride, bool falls = true) {
  return stride ? clean(exchange(l, run, stride, falls), run, stride / 2, falls)
                : l;
}
/// Any lists in falling or rising order, in log2(length)^2 / 2 stages.
inline Lists sort(const Lists &l, bool falls, int run = 2) {
  if (run > l.length)
    return l;
  return sort(clean(l, run, run / 2, falls || run < l.length), falls, 2 * run);
}

/// Exchanges lanes and columns: what lies in `lanes` lanes, one list in each,
/// lies in one, and back.
inline Lists turned(const Lists &in, int lanes, int rows, int width) {
  Lists out = makeLists(lanes, in.length, rows, width);
  dim4 shape = {1, lanes, in.length, rows * width};
  dim4 from = {1, in.lanes, in.length, in.rows * in.width};
  tiu::transpose_wc(out.keys.view(shape), in.keys.view(from));
  tiu::transpose_wc(out.indices.view(shape), in.indices.view(from));
  return out;
}

/// Integers in the order of the floats with these bits, and back: the bits
/// below the sign of negative numbers are turned round. `flip` is -1 for the
/// smallest first.
inline tensor<int32> ordered(const tensor<int32> &bits, int flip) {
  dim4 shape = bits.getShape();
  tensor<int32> negative(shape), below(shape), keys(shape);
  tiu::gt(negative, 0, bits, -1);
  tiu::bitwise_and(below, negative, 0x7fffffff);
  tiu::bitwise_xor(keys, bits, below);
  if (!flip)
    return keys;
  tensor<int32> turnedRound(shape);
  tiu::bitwise_xor(turnedRound, keys, flip);
  return turnedRound;
}

/// All numbers by their bits, as IEEE 754's total order has them. What gives
/// keys is a class like this: a larger key goes first. `tags` are the indices,
/// which break ties; they may be changed as long as they stay in their order,
/// and `elements`, which gets keys and tags of the sorted, gives them back.
template <class T>
struct TotalOrder {
  bool falling;

  tensor<int32> keys(const tensor<T> &x, const tensor<int32> &tags) const {
    tensor<float> wide(tags.getShape());
    tiu::cast(wide, x);
    return ordered(wide.template view<int32>(), falling ? 0 : -1);
  }
  tensor<T> elements(const tensor<int32> &keys,
                     const tensor<int32> &tags) const {
    tensor<int32> turned(tags.getShape());
    tiu::bitwise_xor(turned, keys, falling ? 0 : -1);
    auto bits = ordered(turned, 0);
    tensor<T> x(tags.getShape());
    tiu::cast(x, bits.template view<float>());
    return x;
  }
};

} // namespace ppl::bitonic

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_BITONIC_H
