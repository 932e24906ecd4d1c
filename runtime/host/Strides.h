//===- Strides.h - what kernels share about row-major tensors ---*- C++ -*-===//

#ifndef WEFT_RUNTIME_HOST_STRIDES_H
#define WEFT_RUNTIME_HOST_STRIDES_H

#include "runtime/host/Kernels.h"

#include <optional>

namespace weft::host {

/// Distance in elements between neighbours on each axis of a row-major tensor.
/// (An empty tensor may have sizes whose product wraps.)
inline Shape rowMajorSteps(const Shape &shape) {
  Shape steps(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;)
    steps[axis - 1] = int64_t(uint64_t(steps[axis]) * uint64_t(shape[axis]));
  return steps;
}

/// The numpy broadcast of two shapes; std::nullopt if two aligned axes differ
/// and neither is 1.
inline std::optional<Shape> broadcastShapes(const Shape &lhs,
                                            const Shape &rhs) {
  size_t rank = lhs.size() > rhs.size() ? lhs.size() : rhs.size();
  Shape shape(rank);
  for (size_t i = 1; i <= rank; ++i) {
    int64_t left = i <= lhs.size() ? lhs[lhs.size() - i] : 1;
    int64_t right = i <= rhs.size() ? rhs[rhs.size() - i] : 1;
    if (left != right && left != 1 && right != 1)
      return std::nullopt;
    shape[rank - i] = left == 1 ? right : left;
  }
  return shape;
}

/// Steps in elements of each axis of `shape` inside its broadcast `result`; 0
/// where it repeats.
inline Shape broadcastSteps(const Shape &shape, const Shape &result) {
  Shape steps(result.size(), 0);
  int64_t step = 1;
  for (size_t i = 1; i <= shape.size(); ++i) {
    int64_t size = shape[shape.size() - i];
    steps[result.size() - i] = size == 1 ? 0 : step;
    step = int64_t(uint64_t(step) * uint64_t(size));
  }
  return steps;
}

/// A tensor as outer x size x inner around one axis, which it has.
struct AroundAxis {
  int64_t outer = 1, size = 1, inner = 1;

  AroundAxis(const Shape &shape, int64_t axis) {
    for (int64_t i = 0; i < int64_t(shape.size()); ++i)
      (i < axis ? outer : i == axis ? size : inner) *= shape[i];
  }
  int64_t lines() const { return size > 0 ? outer * inner : 0; }
  /// Element 0 of line `i`; its elements are `inner` apart.
  int64_t first(int64_t i) const {
    return i / inner * size * inner + i % inner;
  }
  int64_t at(int64_t o, int64_t i, int64_t in) const {
    return (o * size + i) * inner + in;
  }
};

} // namespace weft::host

#endif // WEFT_RUNTIME_HOST_STRIDES_H
