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
static Value padAxes(Compose &c, Value input, Window &window, double fill) {
  size_t spatial = window.kernel.size();
  SmallVector<int64_t> begin(2, 0), end(2, 0);
  for (size_t s = 0; s < spatial; ++s) {
    int64_t &before = window.pads[s], &after = window.pads[spatial + s];
    int64_t most = std::max(before, after);
    bool written = window.dilations[s] > 1 || window.strides[s] > kLongStep ||
                   most >= window.kernel[s] || most > kLongStep;
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
      shape[2 + s] = resultSize(
          window, s, shape[2 + s] + window.pads[s] + window.pads[spatial + s]);
  return c.reshape(pooled, shape);
}

/// Fewer channels than these fill more lanes together with their planes.
constexpr int64_t kFewChannels = 8;

/// Windows of the last two of three spatial axes in planes that lie one below
/// the other, so that channels stay where they are; null if planes need a
/// padding between them that no window may see.
static Value poolStack(Compose &c, PoolKind kind, Value value,
                       const Window &window) {
  SmallVector<int64_t> shape(c.shapeOf(value));
  int64_t before = window.pads[1], after = window.pads[4],
          kernel = window.kernel[1], width = shape[4],
          padded = shape[3] + before + after;
  int64_t results = resultSize(window, 1, padded),
          columns =
              resultSize(window, 2, width + window.pads[2] + window.pads[5]);
  int64_t stride = results == 1 ? padded : window.strides[1];
  // Every plane begins at a row where a window begins.
  int64_t rows = (padded + stride - 1) / stride * stride;
  bool isPadded = before || after;
  if (shape[1] < kFewChannels || (kind == PoolKind::Max && isPadded) ||
      stride > kLongStep || rows * width > kLongestAxis ||
      shape[2] * rows > kLongestAxis)
    return {};
  Value view =
      c.pad(c.reshape(value, {shape[0], shape[1], shape[2], shape[3] * width}),
            {0, 0, 0, before * width},
            {0, 0, 0, (rows - shape[3] - before) * width}, 0);
  view = c.reshape(view, {shape[0], shape[1], shape[2] * rows, width});
  if (!view)
    return {};
  Value pooled = Compose::orNull(c.n.create<top::PoolOp>(
      kind, view, ArrayRef<int64_t>{kernel, window.kernel[2]},
      ArrayRef<int64_t>{stride, window.strides[2]},
      ArrayRef<int64_t>{0, window.pads[2],
                        std::max<int64_t>(0, kernel - stride), window.pads[5]},
      kind == PoolKind::Avg));
  Value all = c.reshape(
      pooled, {shape[0], shape[1], shape[2], rows / stride * columns});
  return c.reshape(c.sliceAxis(all, 3, 0, results * columns),
                   {shape[0], shape[1], shape[2], results, columns});
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

/// Windows that lie far apart along one axis: each is cut out (the rest of its
/// stride is dropped), or they are one kernel position after the other.
static Value poolApart(Compose &c, PoolKind kind, Value value,
                       const Window &window, int64_t s) {
  if (!value || window.kernel[s] > window.strides[s])
    return poolDilated(c, kind, value, window, s);
  int64_t stride = window.strides[s], axis = 2 + s;
  int64_t count = resultSize(window, s, c.shapeOf(value)[axis]);
  SmallVector<int64_t> shape(c.shapeOf(value)), zeros(shape.size(), 0), end;
  end = zeros;
  end[axis] = count * stride - shape[axis];
  value = c.pad(value, zeros, end, 0);
  int64_t outer = 1, inner = 1;
  for (int64_t i = 0, rank = shape.size(); i < rank; ++i)
    if (i != axis)
      (i < axis ? outer : inner) *= shape[i];
  Value windows =
      c.sliceAxis(c.reshape(value, {1, outer * count, stride, inner}), 2, 0,
                  window.kernel[s]);
  shape[axis] = count;
  if (!windows)
    return {};
  Value pooled = Compose::orNull(c.n.create<top::PoolOp>(
      kind, windows, ArrayRef<int64_t>{window.kernel[s], 1},
      ArrayRef<int64_t>{1, 1}, ArrayRef<int64_t>{0, 0, 0, 0},
      kind == PoolKind::Avg));
  return c.reshape(pooled, shape);
}

/// So many pixels of a channel a lane surely holds.
constexpr int64_t kMostPixels = 1 << 14;

/// Whether the one window is all of an input of `shape`.
static bool isWhole(const Window &window, ArrayRef<int64_t> shape) {
  return ArrayRef<int64_t>(window.kernel) == shape.drop_front(2) &&
         llvm::all_of(window.pads, [](int64_t pad) { return !pad; });
}

/// One window over a whole plane, too large for a lane, in two steps: columns,
/// then rows. Null if it is another window.
static Value poolLargePlane(Compose &c, PoolKind kind, Value input,
                            const Window &window) {
  ArrayRef<int64_t> shape = c.shapeOf(input);
  if (!isWhole(window, shape) || shape.size() != 4 ||
      shape[2] * shape[3] <= kMostPixels)
    return {};
  Value result = input;
  for (auto [high, wide] :
       {std::pair<int64_t, int64_t>(1, shape[3]), {shape[2], 1}})
    if (result)
      result = Compose::orNull(c.n.create<top::PoolOp>(
          kind, result, ArrayRef<int64_t>{high, wide}, ArrayRef<int64_t>{1, 1},
          ArrayRef<int64_t>{0, 0, 0, 0}, kind == PoolKind::Avg));
  return result;
}

/// One window over all of three spatial axes as one over rows and columns.
static Value stackWhole(Compose &c, Value input, Window &window) {
  SmallVector<int64_t> shape(c.shapeOf(input));
  if (!isWhole(window, shape) || shape.size() != 5 || shape[1] < kFewChannels ||
      shape[2] * shape[3] * shape[4] > kMostPixels)
    return input;
  window.kernel = {shape[2] * shape[3], shape[4]};
  window.strides = {1, 1};
  window.dilations = {1, 1};
  window.pads = {0, 0, 0, 0};
  return c.reshape(input, {shape[0], shape[1], shape[2] * shape[3], shape[4]});
}

/// Whether windows of three spatial axes span more than one value of a plane.
static bool hasPlanes(const Window &window) {
  return window.kernel[1] != 1 || window.strides[1] != 1 ||
         window.kernel[2] != 1 || window.strides[2] != 1;
}

Value weft::onnx::poolWindows(Compose &c, PoolKind kind, Value input,
                              Window window) {
  if (!input)
    return {};
  if (Value stacked = stackWhole(c, input, window); stacked != input) {
    Value pooled = poolWindows(c, kind, stacked, window);
    return c.reshape(pooled,
                     {c.shapeOf(input)[0], c.shapeOf(input)[1], 1, 1, 1});
  }
  if (Value pooled = poolLargePlane(c, kind, input, window))
    return pooled;
  int64_t spatial = window.kernel.size();
  double fill =
      kind == PoolKind::Max ? -std::numeric_limits<double>::infinity() : 0;
  Value value = padAxes(c, input, window, fill);
  // A window without gaps is one of the last two axes, then of each other one.
  Window plain = window;
  auto isPlain = [&](int64_t s) {
    return window.dilations[s] == 1 && window.strides[s] <= kLongStep;
  };
  for (int64_t s = 0; s < spatial; ++s)
    if (!isPlain(s))
      plain.kernel[s] = plain.strides[s] = plain.dilations[s] = 1;
  int64_t last = spatial - 1;
  Value stacked = spatial == 3 && value && hasPlanes(plain)
                      ? poolStack(c, kind, value, plain)
                      : Value();
  if (stacked)
    value = stacked;
  else
    value = last ? poolPlane(c, kind, value, plain, last - 1, last)
                 : poolPlane(c, kind, value, plain, last, -1);
  for (int64_t s = last - 2; s >= 0; --s)
    value = poolPlane(c, kind, value, plain, s, -1);
  for (int64_t s = 0; s < spatial; ++s)
    if (!isPlain(s))
      value = window.dilations[s] > 1 ? poolDilated(c, kind, value, window, s)
                                      : poolApart(c, kind, value, window, s);
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
  if (failed(c.n.checkTable(c.shapeOf(mean).drop_front(2))))
    return {};
  std::vector<double> factors(1, 1.0);
  bool whole = true;
  for (size_t s = 0; s < spatial; ++s) {
    int64_t size = c.shapeOf(input)[2 + s], results = c.shapeOf(mean)[2 + s];
    int64_t low = includePad ? -window.pads[s] : 0;
    int64_t high =
        includePad ? size + window.pads[spatial + s] - window.added[s] : size;
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

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// For kernel position `cell`: where in its plane each window has it, as a
/// constant 1 x 1 x results; places in the padding are moved inside.
static Value placesOf(Compose &c, const Window &window, ArrayRef<int64_t> cell,
                      ArrayRef<int64_t> sizes, ArrayRef<int64_t> results,
                      bool columnMajor) {
  int64_t spatial = sizes.size();
  SmallVector<int64_t> steps(spatial, 1), shape{1, 1};
  for (int64_t s = 1; s < spatial; ++s)
    if (columnMajor)
      steps[s] = steps[s - 1] * sizes[s - 1];
    else
      steps[spatial - 1 - s] = steps[spatial - s] * sizes[spatial - s];
  std::vector<double> places(1, 0.0);
  for (int64_t s = 0; s < spatial; ++s) {
    std::vector<double> next;
    for (double place : places)
      for (int64_t i = 0; i < results[s]; ++i) {
        int64_t at = i * window.strides[s] + cell[s] * window.dilations[s] -
                     window.pads[s];
        at = std::clamp<int64_t>(at, 0, sizes[s] - 1);
        next.push_back(place + static_cast<double>(at * steps[s]));
      }
    places = std::move(next);
    shape.push_back(results[s]);
  }
  return c.numbers(places, shape, c.n.builder.getF32Type());
}

/// First places of the planes of a tensor N,C,..: N x C x 1 ..
static Value planeStarts(Compose &c, ArrayRef<int64_t> shape, int64_t plane,
                         Type element) {
  if (failed(c.n.checkTable({shape[0], shape[1]})))
    return {};
  std::vector<double> starts;
  for (int64_t i = 0; i < shape[0] * shape[1]; ++i)
    starts.push_back(static_cast<double>(i * plane));
  SmallVector<int64_t> folded(shape.size(), 1);
  folded[0] = shape[0];
  folded[1] = shape[1];
  return c.numbers(starts, folded, element);
}

Value weft::onnx::largestWithIndices(Compose &c, Value input,
                                     const Window &window, bool columnMajor,
                                     Value &indices) {
  if (!input)
    return {};
  ArrayRef<int64_t> shape = c.shapeOf(input);
  ArrayRef<int64_t> sizes = shape.drop_front(2);
  int64_t spatial = sizes.size(), plane = 1, cells = 1;
  for (int64_t s = 0; s < spatial; ++s) {
    plane *= sizes[s];
    cells *= window.kernel[s];
  }
  // f32 carries the places through the comparisons.
  if (plane > 1 << 24) {
    c.n.unsupported() << "output Indices of a plane of " << plane
                      << " values; there may be 2^24, cut the input with Slice";
    return {};
  }
  SmallVector<int64_t> begin(2, 0), end(2, 0);
  begin.append(window.pads.begin(), window.pads.begin() + spatial);
  end.append(window.pads.begin() + spatial, window.pads.end());
  Value padded =
      c.pad(input, begin, end, -std::numeric_limits<double>::infinity());
  if (!padded)
    return {};
  SmallVector<int64_t> box{shape[0], shape[1]}, steps(2, 1);
  for (int64_t s = 0; s < spatial; ++s)
    box.push_back(resultSize(window, s, c.shapeOf(padded)[2 + s]));
  steps.append(window.strides.begin(), window.strides.end());
  SmallVector<int64_t> places{cells}; // of all results, by place of the window
  places.append(box.begin() + 2, box.end());
  if (failed(c.n.checkParts(cells, "places of the window of its Indices")) ||
      failed(c.n.checkTable(places)))
    return {};
  Type f32 = c.n.builder.getF32Type(), i64 = c.n.builder.getI64Type();
  Value largest, place;
  for (int64_t number = 0; number < cells; ++number) {
    SmallVector<int64_t> starts(2, 0), cell;
    int64_t rest = number, within = cells;
    for (int64_t s = 0; s < spatial; ++s) {
      within /= window.kernel[s];
      cell.push_back(rest / within);
      starts.push_back(cell.back() * window.dilations[s]);
      rest %= within;
    }
    Value part = c.slice(padded, starts, box, steps);
    Value here = placesOf(c, window, cell, sizes,
                          ArrayRef<int64_t>(box).drop_front(2), columnMajor);
    if (number) {
      Value wins =
          c.cast(c.binary(top::BinaryKind::Greater, part, largest), f32);
      place = c.add(place, c.mul(wins, c.sub(here, place)));
      largest = c.max(largest, part);
    } else {
      largest = part;
      place = here;
    }
    if (!largest || !place)
      return {};
  }
  // With one kernel position the places still lack the planes' axes.
  bool exact = plane * shape[0] * shape[1] <= 1 << 24;
  Type wide = exact ? f32 : i64;
  Value flat = c.add(c.cast(place, wide), planeStarts(c, shape, plane, wide));
  indices = c.cast(flat, i64);
  return largest;
}
