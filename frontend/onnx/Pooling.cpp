//===- Pooling.cpp - pools as top ops -------------------------------------===//

#include "frontend/onnx/Pooling.h"

#include "dialects/top/Pool.h"

#include <limits>

using namespace mlir;
using namespace weft;
using namespace weft::onnx;
using top::PoolKind;

/// Values of the result on spatial axis `s`, whose padded input has `padded`.
static int64_t resultSize(const Window &window, size_t s, int64_t padded) {
  int64_t extent = window.dilations[s] * (window.kernel[s] - 1) + 1;
  return (padded - extent) / window.strides[s] + 1;
}

/// Writes the padding of the axes that no pool takes into the tensor.
static Value padAxes(Compose &c, Value input, Window &window, double fill,
                     bool all) {
  size_t spatial = window.kernel.size();
  SmallVector<int64_t> begin(2, 0), end(2, 0);
  for (size_t s = 0; s < spatial; ++s) {
    int64_t &before = window.pads[s], &after = window.pads[spatial + s];
    bool written = all || window.dilations[s] > 1 ||
                   std::max(before, after) >= window.kernel[s];
    begin.push_back(written ? before : 0);
    end.push_back(written ? after : 0);
    if (written)
      before = after = 0;
  }
  return c.pad(input, begin, end, fill);
}

/// One pool over a view n,c,h,w of `value`, whose windows are those of the
/// spatial axes `first` and, if it is not negative, `second`.
static Value poolPlane(Compose &c, PoolKind kind, Value value,
                       const Window &window, int64_t first, int64_t second) {
  if (!value)
    return {};
  SmallVector<int64_t> shape(c.shapeOf(value)), kernel, strides, pads(4, 0);
  int64_t spatial = window.kernel.size(), plane = 0;
  int64_t channels = 1, inner = 1;
  bool moves = false;
  for (int64_t s : {first, second}) {
    kernel.push_back(s < 0 ? 1 : window.kernel[s]);
    strides.push_back(s < 0 ? 1 : window.strides[s]);
    if (s >= 0) {
      pads[plane] = window.pads[s];
      pads[plane + 2] = window.pads[spatial + s];
    }
    ++plane;
    moves |= kernel.back() != 1 || strides.back() != 1;
  }
  if (!moves)
    return value;
  for (int64_t axis = 1; axis < 2 + first; ++axis)
    channels *= shape[axis];
  if (second < 0)
    for (int64_t axis = 3 + first; axis < 2 + spatial; ++axis)
      inner *= shape[axis];
  else
    inner = shape[2 + second];
  Value view = c.reshape(value, {shape[0], channels, shape[2 + first], inner});
  if (!view)
    return {};
  Value pooled = Compose::orNull(c.n.create<top::PoolOp>(
      kind, view, kernel, strides, pads, kind == PoolKind::Avg));
  for (int64_t s : {first, second})
    if (s >= 0)
      shape[2 + s] = resultSize(window, s,
                                shape[2 + s] + window.pads[s] +
                                    window.pads[spatial + s]);
  return c.reshape(pooled, shape);
}

/// Windows along one axis with gaps: the values of each kernel position as one
/// slice.
static Value poolDilated(Compose &c, PoolKind kind, Value value,
                         const Window &window, int64_t s) {
  if (!value)
    return {};
  int64_t count = resultSize(window, s, c.shapeOf(value)[2 + s]);
  Value result;
  for (int64_t k = 0; k < window.kernel[s]; ++k) {
    Value part = c.sliceAxis(value, 2 + s, k * window.dilations[s], count,
                             window.strides[s]);
    result = !k                      ? part
             : kind == PoolKind::Max ? c.max(result, part)
                                     : c.add(result, part);
  }
  return kind == PoolKind::Max
             ? result
             : c.mul(result, 1.0 / static_cast<double>(window.kernel[s]));
}

Value weft::onnx::poolWindows(Compose &c, PoolKind kind, Value input,
                              Window window) {
  if (!input)
    return {};
  int64_t spatial = window.kernel.size();
  double fill =
      kind == PoolKind::Max ? -std::numeric_limits<double>::infinity() : 0;
  Value value = padAxes(c, input, window, fill, /*all=*/false);
  // A window without gaps is one of the last two axes, then of each other one.
  Window plain = window;
  for (int64_t s = 0; s < spatial; ++s)
    if (window.dilations[s] > 1)
      plain.kernel[s] = plain.strides[s] = plain.dilations[s] = 1;
  int64_t last = spatial - 1;
  value = last ? poolPlane(c, kind, value, plain, last - 1, last)
               : poolPlane(c, kind, value, plain, last, -1);
  for (int64_t s = last - 2; s >= 0; --s)
    value = poolPlane(c, kind, value, plain, s, -1);
  for (int64_t s = 0; s < spatial; ++s)
    if (window.dilations[s] > 1)
      value = poolDilated(c, kind, value, window, s);
  return value;
}

/// How many cells of the window at result `i` lie in [low, high) of axis `s`.
static int64_t cellsInside(const Window &window, size_t s, int64_t i,
                           int64_t low, int64_t high) {
  int64_t count = 0;
  for (int64_t k = 0; k < window.kernel[s]; ++k) {
    int64_t at =
        i * window.strides[s] + k * window.dilations[s] - window.pads[s];
    count += at >= low && at < high;
  }
  return count;
}

Value weft::onnx::averageWindows(Compose &c, Value input, const Window &window,
                                 bool includePad) {
  Value mean = poolWindows(c, PoolKind::Avg, input, window);
  if (!mean)
    return {};
  size_t spatial = window.kernel.size();
  SmallVector<int64_t> shape(2, 1);
  std::vector<double> factors(1, 1.0);
  bool whole = true;
  for (size_t s = 0; s < spatial; ++s) {
    int64_t size = c.shapeOf(input)[2 + s], results = c.shapeOf(mean)[2 + s];
    int64_t low = includePad ? -window.pads[s] : 0;
    int64_t high = includePad ? size + window.pads[spatial + s] -
                                    window.added[s]
                              : size;
    std::vector<double> next;
    for (double factor : factors)
      for (int64_t i = 0; i < results; ++i) {
        int64_t cells = cellsInside(window, s, i, low, high);
        whole &= cells == window.kernel[s];
        next.push_back(factor * static_cast<double>(window.kernel[s]) /
                       static_cast<double>(cells));
      }
    factors = std::move(next);
    shape.push_back(results);
  }
  if (whole)
    return mean;
  return c.mul(mean, c.numbers(factors, shape, c.elementOf(mean)));
}
