//===- Convolve.cpp - convolutions as top ops -----------------------------===//

#include "frontend/onnx/Convolve.h"

#include "dialects/top/Conv.h"
#include "dialects/top/Resize.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

static bool isConstant(Value value) {
  return value && matchPattern(value, m_Constant());
}

static int64_t productOf(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

/// Moves padding into the tensor: all of it, or with `negativeOnly` just what
/// crops.
static Value applyPads(Compose &c, Value input, Window &window,
                       bool negativeOnly) {
  size_t spatial = window.kernel.size();
  SmallVector<int64_t> begin(2, 0), end(2, 0);
  for (size_t i = 0; i < 2 * spatial; ++i) {
    bool moved = window.pads[i] < 0 || !negativeOnly;
    (i < spatial ? begin : end).push_back(moved ? window.pads[i] : 0);
    if (moved)
      window.pads[i] = 0;
  }
  return c.pad(input, begin, end, 0);
}

/// `bias` (O) added along axis 1.
static Value addBias(Compose &c, Value value, Value bias) {
  if (!bias || !value)
    return value;
  SmallVector<int64_t> shape(c.shapeOf(value).size(), 1);
  shape[1] = c.shapeOf(value)[1];
  return c.add(value, c.reshape(bias, shape));
}

/// Sizes of the result on the spatial axes.
static SmallVector<int64_t> outputSizes(Value input, const Window &window) {
  SmallVector<int64_t> sizes;
  size_t spatial = window.kernel.size();
  for (size_t s = 0; s < spatial; ++s) {
    int64_t padded = Compose::shapeOf(input)[s + 2] + window.pads[s] +
                     window.pads[spatial + s];
    int64_t extent = window.dilations[s] * (window.kernel[s] - 1) + 1;
    sizes.push_back(
        padded < extent ? 0 : (padded - extent) / window.strides[s] + 1);
  }
  return sizes;
}

static LogicalResult checkConvolution(Compose &c, const Convolution &conv) {
  ArrayRef<int64_t> input = c.shapeOf(conv.input),
                    filter = c.shapeOf(conv.filter);
  if (input[1] % conv.group || filter[0] % conv.group ||
      filter[1] != input[1] / conv.group)
    return c.n.error() << "group is " << conv.group << " with " << input[1]
                       << " input channels and a filter of shape "
                       << formatShape(filter)
                       << "; it must divide the input and output channels, and "
                          "filter axis 1 must be input channels / group";
  if (conv.bias && c.shapeOf(conv.bias) != ArrayRef<int64_t>(filter[0]))
    return c.n.error() << "the bias has the shape "
                       << formatShape(c.shapeOf(conv.bias)) << ", must have "
                       << filter[0] << " values";
  const Window &window = conv.window;
  size_t spatial = window.kernel.size();
  for (size_t s = 0; s < spatial; ++s) {
    int64_t extent = window.dilations[s] * (window.kernel[s] - 1) + 1;
    int64_t padded = input[s + 2] + window.pads[s] + window.pads[spatial + s];
    if (window.kernel[s] < 1 || extent > padded)
      return c.n.error() << "the kernel spans " << extent
                         << " values on spatial axis " << s
                         << " but the padded input has " << padded
                         << "; pad more or use a smaller kernel";
  }
  return success();
}

/// Each place of a computed filter is an operation of its own, and each place
/// of each image a command at least.
static LogicalResult checkPieces(Compose &c, int64_t images, int64_t cells) {
  constexpr int64_t kMostPieces = 1 << 17;
  // All of them are parts of one tensor, which layer groups weigh together: of
  // 3000 for 17 s.
  constexpr int64_t kMostPlaces = 1024;
  if (failed(c.n.checkParts(cells, "places of a window", kMostPlaces)))
    return failure();
  if (images * cells <= kMostPieces)
    return success();
  return c.n.unsupported()
         << c.n.node.opType << " of " << images
         << " images with a computed filter of " << cells
         << " places; their product may be " << kMostPieces
         << ", use smaller batches or make the filter constant";
}

/// The products as a matrix product: the input values under every kernel
/// position are written side by side first. For filters that are computed.
static Value convolveByProduct(Compose &c, Convolution conv) {
  Value input = applyPads(c, conv.input, conv.window, /*negativeOnly=*/false);
  if (!input)
    return {};
  const Window &window = conv.window;
  SmallVector<int64_t> sizes = outputSizes(input, window);
  ArrayRef<int64_t> shape = c.shapeOf(input), filter = c.shapeOf(conv.filter);
  int64_t pixels = productOf(sizes), cells = productOf(window.kernel);
  int64_t group = conv.group, rows = filter[1] * cells;
  if (failed(checkPieces(c, shape[0], cells)))
    return {};
  SmallVector<Value> columns;
  for (int64_t cell = 0; cell < cells; ++cell) {
    SmallVector<int64_t> starts(2, 0), steps(2, 1), box{shape[0], shape[1]};
    int64_t rest = cell, within = cells;
    for (size_t s = 0; s < sizes.size(); ++s) {
      within /= window.kernel[s];
      starts.push_back(rest / within * window.dilations[s]);
      rest %= within;
      steps.push_back(window.strides[s]);
      box.push_back(sizes[s]);
    }
    columns.push_back(c.reshape(c.slice(input, starts, box, steps),
                                {shape[0], shape[1], 1, pixels}));
  }
  Value matrix =
      c.reshape(c.concat(columns, 2), {shape[0] * group, rows, pixels});
  Value weights = c.reshape(conv.filter, {group, filter[0] / group, rows});
  if (!matrix || !weights)
    return {};
  if (group > 1 && shape[0] > 1) { // batches of groups
    matrix = c.reshape(matrix, {shape[0], group, rows, pixels});
    weights = c.reshape(weights, {1, group, filter[0] / group, rows});
  }
  SmallVector<int64_t> result{shape[0], filter[0]};
  result.append(sizes);
  return addBias(c, c.reshape(c.matmul(weights, matrix), result), conv.bias);
}

/// Three spatial axes and a constant filter: one convolution of planes, which
/// are images, for each depth of the kernel, summed.
static Value convolvePlanes(Compose &c, Convolution conv) {
  Window &window = conv.window;
  SmallVector<int64_t> sizes = outputSizes(conv.input, window);
  int64_t depths = sizes[0];
  Value input = c.transpose(conv.input, {0, 2, 1, 3, 4}); // N D C H W
  input = c.pad(input, {0, window.pads[0], 0, 0, 0},
                {0, window.pads[3], 0, 0, 0}, 0);
  if (!input)
    return {};
  SmallVector<int64_t> shape(c.shapeOf(input)), filter(c.shapeOf(conv.filter));
  Convolution plane{{}, {}, conv.bias, {}, conv.group};
  plane.window.kernel = {window.kernel[1], window.kernel[2]};
  plane.window.strides = {window.strides[1], window.strides[2]};
  plane.window.dilations = {window.dilations[1], window.dilations[2]};
  plane.window.pads = {window.pads[1], window.pads[2], window.pads[4],
                       window.pads[5]};
  if (failed(c.n.checkParts(window.kernel[0], "planes of a window")))
    return {};
  Value sum;
  for (int64_t k = 0; k < window.kernel[0]; ++k) {
    Value planes = c.sliceAxis(input, 1, k * window.dilations[0], depths,
                               window.strides[0]);
    plane.input =
        c.reshape(planes, {shape[0] * depths, shape[2], shape[3], shape[4]});
    plane.filter = c.reshape(c.sliceAxis(conv.filter, 2, k, 1),
                             {filter[0], filter[1], filter[3], filter[4]});
    Value product = convolve(c, plane);
    sum = k ? c.add(sum, product) : product;
    plane.bias = {};
  }
  return c.transpose(
      c.reshape(sum, {shape[0], depths, filter[0], sizes[1], sizes[2]}),
      {0, 2, 1, 3, 4});
}

/// Three spatial axes and a constant filter: one convolution of planes that lie
/// one below the other, so that channels stay where they are. Between planes is
/// the padding of their rows; the depths of the kernel become channels, or, of
/// several groups, convolutions that are summed.
static Value convolveDepth(Compose &c, const Convolution &conv) {
  const Window &window = conv.window;
  SmallVector<int64_t> sizes = outputSizes(conv.input, window),
                       shape(c.shapeOf(conv.input)),
                       filter(c.shapeOf(conv.filter));
  int64_t images = shape[0], channels = shape[1], width = shape[4],
          depths = sizes[0], kernelDepths = window.kernel[0],
          stride = window.strides[1],
          extent = window.dilations[1] * (window.kernel[1] - 1) + 1;
  // Every plane begins at a row where a window begins.
  int64_t rows = (shape[3] + window.pads[1] + window.pads[4] + stride - 1) /
                 stride * stride;
  if (rows * width > kLongestAxis)
    return convolvePlanes(c, conv);
  Value input = c.pad(
      c.reshape(conv.input, {images, channels, shape[2], shape[3] * width}),
      {0, 0, window.pads[0], window.pads[1] * width},
      {0, 0, window.pads[3], (rows - shape[3] - window.pads[1]) * width}, 0);
  auto planesOf = [&](int64_t depth) {
    return c.sliceAxis(input, 2, depth * window.dilations[0], depths,
                       window.strides[0]);
  };
  Convolution plane{{}, {}, conv.bias, {}, conv.group};
  plane.window.kernel = {window.kernel[1], window.kernel[2]};
  plane.window.strides = {stride, window.strides[2]};
  plane.window.dilations = {window.dilations[1], window.dilations[2]};
  plane.window.pads = {0, window.pads[2], std::max<int64_t>(0, extent - stride),
                       window.pads[5]};
  if (failed(c.n.checkParts(kernelDepths, "planes of a window")))
    return {};
  Value sum;
  if (conv.group == 1) {
    SmallVector<Value> planes;
    for (int64_t k = 0; k < kernelDepths; ++k)
      planes.push_back(planesOf(k));
    plane.input =
        c.reshape(c.concat(planes, 1),
                  {images, kernelDepths * channels, depths * rows, width});
    plane.filter =
        c.reshape(c.transpose(conv.filter, {0, 2, 1, 3, 4}),
                  {filter[0], kernelDepths * channels, filter[3], filter[4]});
    sum = convolve(c, plane);
  } else {
    for (int64_t k = 0; k < kernelDepths; ++k) {
      plane.input =
          c.reshape(planesOf(k), {images, channels, depths * rows, width});
      plane.filter = c.reshape(c.sliceAxis(conv.filter, 2, k, 1),
                               {filter[0], filter[1], filter[3], filter[4]});
      Value product = convolve(c, plane);
      sum = k ? c.add(sum, product) : product;
      plane.bias = {};
    }
  }
  // Windows across two planes are dropped.
  Value results = c.sliceAxis(
      c.reshape(sum, {images, filter[0], depths, rows / stride * sizes[2]}), 3,
      0, sizes[1] * sizes[2]);
  return c.reshape(results, {images, filter[0], depths, sizes[1], sizes[2]});
}

static bool hasLongStep(ArrayRef<int64_t> values) {
  return llvm::any_of(values, [](int64_t v) { return v > kLongStep; });
}

/// Long strides of other windows: every stride x stride block of pixels becomes
/// channels of one pixel, the kernel likewise; stride 1 is left. What a
/// shorter kernel leaves of a block is cut off first.
static Convolution blockwise(Compose &c, const Convolution &conv) {
  Convolution result = conv;
  Value input = applyPads(c, conv.input, result.window, /*negativeOnly=*/false);
  if (!input)
    return {};
  const Window &window = conv.window;
  size_t spatial = window.kernel.size();
  SmallVector<int64_t> sizes = outputSizes(input, result.window);
  SmallVector<int64_t> shape(c.shapeOf(input)), filter(c.shapeOf(conv.filter));
  // Both are brought to whole blocks: `kernel` blocks a window.
  SmallVector<int64_t> none(spatial + 2, 0), inputEnd(none), filterEnd(none);
  SmallVector<int64_t> inputSplit{shape[0], shape[1]},
      filterSplit{filter[0], filter[1]}, perm{0, 1}, last, cells;
  int64_t blocks = 1;
  for (size_t s = 0; s < spatial; ++s) {
    int64_t stride = window.strides[s];
    int64_t kernel = (window.kernel[s] + stride - 1) / stride;
    int64_t count = sizes[s] + kernel - 1;
    inputEnd[s + 2] = count * stride - shape[s + 2];
    inputSplit.append({count, stride});
    int64_t cell = std::min(stride, window.kernel[s]);
    filterSplit.append({kernel, cell});
    cells.push_back(cell);
    perm.push_back(3 + 2 * s);
    last.push_back(2 + 2 * s);
    filterEnd[s + 2] = kernel * cell - filter[s + 2];
    blocks *= cell;
    shape[s + 2] = count;
    result.window.kernel[s] = filter[s + 2] = kernel;
  }
  perm.append(last);
  shape[1] *= blocks;
  filter[1] *= blocks;
  result.window.strides.assign(spatial, 1);
  auto fold = [&](Value value, ArrayRef<int64_t> end, ArrayRef<int64_t> split,
                  ArrayRef<int64_t> folded) {
    Value whole = c.reshape(c.pad(value, none, end, 0), split);
    SmallVector<int64_t> cut(split), first(cut.size(), 0), all(cut.size(), 1);
    for (size_t s = 0; s < spatial; ++s)
      cut[3 + 2 * s] = cells[s];
    whole = c.slice(whole, first, cut, all);
    return c.reshape(c.transpose(whole, perm), folded);
  };
  result.input = fold(input, inputEnd, inputSplit, shape);
  result.filter = fold(conv.filter, filterEnd, filterSplit, filter);
  return result;
}

/// Whether windows over rows and columns share no pixel, and what `rowwise`
/// makes of them is no longer than an axis may be.
static bool isPatchwise(const Convolution &conv) {
  const Window &window = conv.window;
  if (window.kernel.size() != 2)
    return false;
  SmallVector<int64_t> sizes = outputSizes(conv.input, window);
  return window.kernel[0] <= window.strides[0] &&
         window.kernel[1] <= window.strides[1] &&
         productOf(sizes) <= kLongestAxis;
}

/// `axis` of an image cut or filled with zeros to `size`.
static Value fitted(Compose &c, Value image, int64_t axis, int64_t size) {
  SmallVector<int64_t> none(4, 0), end(4, 0);
  end[axis] = size - c.shapeOf(image)[axis];
  return c.pad(image, none, end, 0);
}

/// Long strides of windows that share no pixel (patches of a picture): every
/// stride-th row becomes a channel, and what lies under one window there a row
/// of its own. So nothing but whole rows changes its place.
static Value rowwise(Compose &c, const Convolution &conv) {
  Convolution result = conv;
  Value input = applyPads(c, conv.input, result.window, /*negativeOnly=*/false);
  if (!input)
    return {};
  ArrayRef<int64_t> strides = conv.window.strides;
  SmallVector<int64_t> sizes = outputSizes(input, result.window),
                       shape(c.shapeOf(input)), filter(c.shapeOf(conv.filter));
  int64_t images = shape[0], rows = sizes[0], columns = sizes[1],
          channels = shape[1] * filter[2];
  Value cut = fitted(c, input, 2, rows * strides[0]);
  Value blocks =
      c.reshape(cut, {images * shape[1], rows, strides[0], shape[3]});
  Value phases =
      c.transpose(c.sliceAxis(blocks, 2, 0, filter[2]), {0, 2, 1, 3});
  Value image = c.reshape(phases, {images, channels, rows, shape[3]});
  if (!image)
    return {};
  Value patches = c.reshape(fitted(c, image, 3, columns * strides[1]),
                            {images, channels, rows * columns, strides[1]});
  result.input = c.sliceAxis(patches, 3, 0, filter[3]);
  result.filter =
      c.reshape(conv.filter, {filter[0], filter[1] * filter[2], 1, filter[3]});
  result.window.kernel = {1, filter[3]};
  result.window.strides = {1, 1};
  return c.reshape(convolve(c, result), {images, filter[0], rows, columns});
}

Value weft::onnx::convolve(Compose &c, const Convolution &given) {
  Convolution conv = given;
  if (!conv.input || !conv.filter)
    return {};
  conv.input = applyPads(c, conv.input, conv.window, /*negativeOnly=*/true);
  if (!conv.input || failed(checkConvolution(c, conv)))
    return {};
  size_t spatial = conv.window.kernel.size();
  if (!isConstant(conv.filter) || spatial > 3 ||
      hasLongStep(conv.window.dilations))
    return convolveByProduct(c, conv);
  if (spatial == 3)
    return convolveDepth(c, conv);
  bool dense =
      llvm::all_of(conv.window.dilations, [](int64_t d) { return d == 1; });
  if (hasLongStep(conv.window.strides)) {
    if (!dense)
      return convolveByProduct(c, conv);
    if (isPatchwise(conv))
      return rowwise(c, conv);
    conv = blockwise(c, conv);
    if (!conv.input || !conv.filter)
      return {};
  }
  if (hasLongStep(conv.window.pads))
    conv.input = applyPads(c, conv.input, conv.window, /*negativeOnly=*/false);
  if (!conv.input)
    return {};
  bool computedBias = conv.bias && !isConstant(conv.bias);
  Value result = Compose::orNull(c.n.create<top::ConvOp>(
      conv.input, conv.filter, computedBias ? Value() : conv.bias,
      conv.window.strides, conv.window.pads, conv.window.dilations,
      conv.group));
  return computedBias ? addBias(c, result, conv.bias) : result;
}

//===----------------------------------------------------------------------===//
// Transposed
//===----------------------------------------------------------------------===//

namespace {
/// One axis of one phase: the results whose place is `phase` modulo the stride.
/// They are a convolution of the input with every `step`-th value of the
/// kernel, from `last` downwards.
struct PhaseAxis {
  int64_t last = 0, step = 1, count = 0; ///< kernel values; none if count is 0
  int64_t dilation = 1, padBegin = 0, padEnd = 0;
};
} // namespace

static int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/// Result y' = stride * q + phase (after the cut at the begin) takes kernel
/// value k from input q - t with stride * t = dilation * k - phase - cut.
static PhaseAxis phaseAxis(const Window &window, size_t s, int64_t phase,
                           int64_t input, int64_t results) {
  int64_t stride = window.strides[s], dilation = window.dilations[s];
  int64_t shift = phase + window.pads[s], first = -1;
  PhaseAxis axis;
  int64_t common = std::gcd(stride, dilation);
  axis.step = stride / common;
  axis.dilation = dilation / common;
  for (int64_t k = 0; k < window.kernel[s]; ++k)
    if ((dilation * k - shift) % stride == 0) {
      first = first < 0 ? k : first;
      axis.last = k;
      ++axis.count;
    }
  if (!axis.count)
    return axis;
  int64_t most = floorDiv(dilation * axis.last - shift, stride);
  int64_t least = floorDiv(dilation * first - shift, stride);
  axis.padBegin = most;
  axis.padEnd = results - input - least;
  return axis;
}

/// The convolution of one phase; a filter of zeros where no kernel value meets
/// an input.
static Value convolvePhase(Compose &c, const Convolution &conv, Value filter,
                           ArrayRef<PhaseAxis> axes,
                           ArrayRef<int64_t> results) {
  size_t spatial = axes.size();
  Convolution part{conv.input, filter, conv.bias, {}, conv.group};
  SmallVector<int64_t> shape(c.shapeOf(filter)), starts(2, 0), steps(2, 1);
  bool empty = false;
  for (const PhaseAxis &axis : axes)
    empty |= axis.count == 0;
  part.window.pads.assign(2 * spatial, 0);
  for (size_t s = 0; s < spatial; ++s) {
    const PhaseAxis &axis = axes[s];
    shape[s + 2] = empty ? 1 : axis.count;
    starts.push_back(axis.last);
    steps.push_back(-axis.step);
    part.window.strides.push_back(1);
    part.window.dilations.push_back(empty ? 1 : axis.dilation);
    part.window.pads[s] = empty ? 0 : axis.padBegin;
    part.window.pads[spatial + s] =
        empty ? results[s] - c.shapeOf(conv.input)[s + 2] : axis.padEnd;
  }
  part.window.kernel.assign(shape.begin() + 2, shape.end());
  part.filter = empty ? c.numbers(0.0, shape, c.elementOf(filter))
                      : c.slice(filter, starts, shape, steps);
  return convolve(c, part);
}

/// Filter C,O/group,kernel of the transposed form as O,C/group,kernel.
static Value turnedFilter(Compose &c, Value filter, int64_t group) {
  SmallVector<int64_t> shape(c.shapeOf(filter));
  int64_t own = shape[0] / group, out = shape[1];
  SmallVector<int64_t> split{group, own, out}, perm{0, 2, 1};
  SmallVector<int64_t> result{group * out, own};
  for (size_t s = 2; s < shape.size(); ++s) {
    split.push_back(shape[s]);
    perm.push_back(perm.size());
    result.push_back(shape[s]);
  }
  return c.reshape(c.transpose(c.reshape(filter, split), perm), result);
}

/// Rows and columns of all phases between each other, in the lanes of their
/// channels; each phase seen as a plane of `rows` and `columns`.
static Value weavePlanes(Compose &c, ArrayRef<Value> phases, int64_t rows,
                         int64_t columns, ArrayRef<int64_t> factors) {
  SmallVector<Value> planes;
  for (Value phase : phases) {
    if (!phase)
      return {};
    ArrayRef<int64_t> shape = c.shapeOf(phase);
    planes.push_back(c.reshape(phase, {shape[0], shape[1], rows, columns}));
  }
  if (phases.size() == 1 || llvm::is_contained(planes, Value()))
    return phases.size() == 1 ? phases.front() : Value();
  return Compose::orNull(
      c.n.create<top::InterleaveOp>(ValueRange(planes), factors));
}

/// Puts the results of all phases (last axis fastest) between each other.
static Value weave(Compose &c, ArrayRef<Value> phases,
                   ArrayRef<int64_t> strides) {
  if (phases.size() == 1 || llvm::is_contained(phases, Value()))
    return phases.size() == 1 ? phases.front() : Value();
  SmallVector<int64_t> shape(c.shapeOf(phases.front())), woven(shape);
  size_t spatial = strides.size();
  for (size_t s = 0; s < spatial; ++s)
    woven[s + 2] *= strides[s];
  constexpr size_t kMostCopies = 64;
  if (spatial <= 2 && phases.size() <= kMostCopies) {
    bool isLine = spatial == 1;
    return c.reshape(weavePlanes(c, phases, isLine ? 1 : shape[2], shape.back(),
                                 {isLine ? 1 : strides[0], strides.back()}),
                     woven);
  }
  if (spatial == 3 && phases.size() <= kMostCopies &&
      woven[3] * woven[4] <= kLongestAxis) {
    // The planes of each depth, then the depths.
    size_t each = strides[1] * strides[2];
    SmallVector<Value> depths;
    for (size_t first = 0; first < phases.size(); first += each)
      depths.push_back(weavePlanes(c, phases.slice(first, each),
                                   shape[2] * shape[3], shape[4],
                                   strides.drop_front()));
    return c.reshape(
        weavePlanes(c, depths, shape[2], woven[3] * woven[4], {strides[0], 1}),
        woven);
  }
  SmallVector<Value> stacked;
  SmallVector<int64_t> single(shape);
  single.insert(single.begin(), 1);
  for (Value phase : phases)
    stacked.push_back(c.reshape(phase, single));
  // phases.., N, C, sizes.. -> N, C, size, phase, size, phase, ..
  SmallVector<int64_t> split(strides.begin(), strides.end()), perm, result;
  split.append(shape);
  int64_t axes = spatial;
  perm = {axes, axes + 1};
  result = {shape[0], shape[1]};
  for (int64_t s = 0; s < axes; ++s) {
    perm.append({axes + 2 + s, s});
    result.push_back(shape[s + 2] * strides[s]);
  }
  return c.reshape(c.transpose(c.reshape(c.concat(stacked, 0), split), perm),
                   result);
}

Value weft::onnx::convolveTransposed(Compose &c, const Convolution &conv,
                                     ArrayRef<int64_t> output) {
  Value filter = turnedFilter(c, conv.filter, conv.group);
  if (!filter)
    return {};
  const Window &window = conv.window;
  if (!isConstant(conv.filter) &&
      failed(checkPieces(c, c.shapeOf(conv.input)[0],
                         productOf(c.shapeOf(filter).drop_front(2)))))
    return {};
  size_t spatial = output.size();
  SmallVector<int64_t> results(spatial);
  for (size_t s = 0; s < spatial; ++s)
    results[s] = (output[s] + window.strides[s] - 1) / window.strides[s];
  SmallVector<Value> phases;
  int64_t count = 1;
  constexpr int64_t kMostPhases = 4096;
  for (int64_t stride : window.strides) {
    if (stride > kMostPhases / count) {
      c.n.unsupported() << "a transposed convolution with a product of strides "
                           "above "
                        << kMostPhases << "; use smaller strides";
      return {};
    }
    count *= stride;
  }
  for (int64_t number = 0; number < count; ++number) {
    SmallVector<PhaseAxis> axes;
    int64_t rest = number, within = count;
    for (size_t s = 0; s < spatial; ++s) {
      within /= window.strides[s];
      axes.push_back(phaseAxis(window, s, rest / within,
                               c.shapeOf(conv.input)[s + 2], results[s]));
      rest %= within;
    }
    phases.push_back(convolvePhase(c, conv, filter, axes, results));
    if (!phases.back())
      return {};
  }
  Value woven = weave(c, phases, window.strides);
  if (!woven)
    return {};
  SmallVector<int64_t> shape(c.shapeOf(woven)), zeros(shape.size(), 0),
      ones(shape.size(), 1);
  for (size_t s = 0; s < spatial; ++s)
    shape[s + 2] = output[s];
  return c.slice(woven, zeros, shape, ones);
}
