//===- Sample.cpp - ONNX rows that read images at computed places ---------===//
//
// A picture is a table with a row of channels for each pixel. A value between
// pixels is a sum of gathered rows, weighted by functions of the place that are
// computed with ordinary arithmetic.
//
//===----------------------------------------------------------------------===//

#include "dialects/top/Resize.h"
#include "dialects/top/Unary.h"
#include "frontend/onnx/Convolve.h"
#include "frontend/onnx/OpRows.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;
using top::UnaryKind;

namespace {
enum class Kernel { Nearest, Linear, Cubic };
enum class Outside { Zeros, Border, Reflection };

/// How pixels are read between and beyond the pixels of an image.
struct Sampling {
  Kernel kernel = Kernel::Linear;
  Outside outside = Outside::Zeros;
  /// The image ends in the middle of its first and last pixel, not at their
  /// outer edge; where reflections turn.
  bool alignCorners = false;
};

/// One of the pixels around a place on one axis: its number, inside the image,
/// and its weight (null: 1). Tensors of f32 with one value a place.
struct AxisTap {
  Value index, weight;
};
} // namespace

/// `place` mirrored at both ends of an axis of `size` pixels as often as
/// needed.
static Value reflect(Compose &c, Value place, int64_t size, bool alignCorners) {
  double low = alignCorners ? 0 : -0.5;
  double span = static_cast<double>(alignCorners ? size - 1 : size);
  if (span <= 0)
    return c.mul(place, 0.0);
  Value distance = c.sub(place, low);
  Value periods = c.unary(UnaryKind::Floor, c.mul(distance, 0.5 / span));
  Value phase = c.sub(distance, c.mul(periods, 2 * span));
  Value inner = c.unary(UnaryKind::Abs, c.sub(phase, span));
  return c.sub(c.number(low + span, place),
               inner); // low + (span - |phase - span|)
}

/// Keys' cubic weights (a = -0.75) of the four pixels around a place whose
/// distance to the second one is `t`.
static SmallVector<Value> cubicWeights(Compose &c, Value t) {
  constexpr double a = -0.75;
  auto polynomial = [&](Value x, ArrayRef<double> coefficients) {
    Value sum = c.number(coefficients[0], x);
    for (double coefficient : coefficients.drop_front())
      sum = c.add(c.mul(x, sum), coefficient);
    return sum;
  };
  auto near = [&](Value x) { return polynomial(x, {a + 2, -(a + 3), 0, 1}); };
  auto far = [&](Value x) { return polynomial(x, {a, -5 * a, 8 * a, -4 * a}); };
  if (!t)
    return SmallVector<Value>(4);
  Value rest = c.sub(c.number(1, t), t);
  return {far(c.add(t, 1.0)), near(t), near(rest), far(c.add(rest, 1.0))};
}

/// The pixel `index` (whole numbers, anywhere) on an axis of `size` pixels.
static AxisTap tapAt(Compose &c, Value index, Value weight, int64_t size,
                     const Sampling &how) {
  double last = static_cast<double>(size - 1);
  if (how.outside == Outside::Reflection)
    index = reflect(c, index, size, how.alignCorners);
  Value inside = c.clamp(index, 0, last);
  if (how.outside == Outside::Zeros) {
    // 1 inside, 0 outside: the clamp moves by whole pixels or not at all.
    Value moved = c.unary(UnaryKind::Abs, c.sub(index, inside));
    Value counts = moved ? c.sub(c.number(1, moved), c.min(moved, 1.0)) : moved;
    weight = weight ? c.mul(weight, counts) : counts;
  }
  return {inside, weight};
}

/// The pixels around `place` (f32) on an axis of `size` pixels.
static SmallVector<AxisTap> tapsAround(Compose &c, Value place, int64_t size,
                                       const Sampling &how) {
  bool nearest = how.kernel == Kernel::Nearest;
  if (nearest)
    place = c.unary(UnaryKind::Round, place);
  // Cubic kernels look further than one pixel: only their pixels move.
  bool cubic = how.kernel == Kernel::Cubic;
  if (how.outside == Outside::Border && !cubic)
    place = c.clamp(place, 0, static_cast<double>(size - 1));
  else if (how.outside == Outside::Reflection && !cubic)
    place = reflect(c, place, size, how.alignCorners);
  if (nearest)
    return {tapAt(c, place, {}, size, how)};
  Value left = c.unary(UnaryKind::Floor, place), t = c.sub(place, left);
  SmallVector<Value> weights;
  if (cubic)
    weights = cubicWeights(c, t);
  else if (t)
    weights = {c.sub(c.number(1, t), t), t};
  int64_t first = cubic ? -1 : 0;
  SmallVector<AxisTap> taps;
  for (Value weight : weights) {
    Value index = first ? c.add(left, static_cast<double>(first)) : left;
    taps.push_back(tapAt(c, index, weight, size, how));
    ++first;
  }
  return taps;
}

/// `index` (f32) as row numbers, plus `base` if that is not null. Numbers up to
/// 2^24 are exact.
static Value rowNumbers(Compose &c, Value index) {
  return c.cast(index, c.n.builder.getI32Type());
}

/// Up to so many channels, places that follow each other lie in one lane with
/// the channels of each: as rows of their own they would be moved in pieces of
/// less than 64 bytes.
constexpr int64_t kFewChannels = 15;

/// `count` places as L x 1 x W: lines that are long enough to be moved and
/// enough of them to keep lanes busy.
static SmallVector<int64_t> linesOf(int64_t images, int64_t count) {
  constexpr int64_t kMostLines = 64, kShortLine = 16;
  int64_t lines =
      std::min(kMostLines, std::max<int64_t>(1, count / kShortLine));
  while (count % lines)
    --lines;
  return {images, lines, 1, count / lines};
}

/// The gathered rows of `index` (B x L x 1 x W) in `table`, where they are
/// weighed: few channels as B x L x 1 x W * C, more as B x L * W x C.
static Value rowsAt(Compose &c, Value table, Value index) {
  if (!index)
    return {};
  SmallVector<int64_t> lines(c.shapeOf(index));
  int64_t channels = c.shapeOf(table)[2];
  Value rows = c.gather(
      table, c.reshape(rowNumbers(c, index), {lines[0], lines[1] * lines[3]}));
  if (channels > kFewChannels)
    return rows;
  lines[3] *= channels;
  return c.reshape(rows, lines);
}

/// `weight` (B x L x 1 x W) times the `rows` of as many places.
static Value weighRows(Compose &c, Value rows, Value weight) {
  if (!rows || !weight)
    return {};
  SmallVector<int64_t> shape(c.shapeOf(rows)), lines(c.shapeOf(weight));
  weight = c.cast(weight, c.elementOf(rows));
  if (shape.size() == 3)
    return c.mul(rows, c.reshape(weight, {shape[0], shape[1], 1}));
  int64_t channels = shape[3] / lines[3];
  if (channels > 1 && weight)
    weight = Compose::orNull(c.n.create<top::InterleaveOp>(
        ValueRange(weight), ArrayRef<int64_t>{1, channels}));
  return c.mul(rows, weight);
}

/// `rows` (B x K x C) as B x C x K. A transpose moves pieces of a few bytes; to
/// cut the channels out in the lanes is better where they are weighed there
/// (`inLines`), else for very few.
static Value channelsFirst(Compose &c, Value rows, bool inLines) {
  if (!rows)
    return {};
  SmallVector<int64_t> shape(c.shapeOf(rows));
  int64_t images = shape[0], count = shape[1], channels = shape[2];
  if (channels > (inLines ? kFewChannels : 4))
    return c.transpose(rows, {0, 2, 1});
  SmallVector<int64_t> lines = linesOf(images, count);
  int64_t width = lines[3];
  lines[3] *= channels;
  Value flat = c.reshape(rows, lines);
  SmallVector<Value> planes;
  for (int64_t channel = 0; channel < channels; ++channel)
    planes.push_back(c.reshape(c.sliceAxis(flat, 3, channel, width, channels),
                               {images, 1, count}));
  return c.concat(planes, 1);
}

/// The rows of `table` (B x pixels x C) at `places` (one tensor B x L x 1 x W
/// of f32 an axis of the image of `sizes`): B x L * W x C.
static Value sample(Compose &c, Value table, ArrayRef<Value> places,
                    ArrayRef<int64_t> sizes, const Sampling &how) {
  if (!table || llvm::is_contained(places, Value()))
    return {};
  SmallVector<AxisTap> corners{{}};
  for (size_t s = 0; s < sizes.size(); ++s) {
    SmallVector<AxisTap> next, taps = tapsAround(c, places[s], sizes[s], how);
    for (const AxisTap &corner : corners)
      for (const AxisTap &tap : taps) {
        if (!tap.index)
          return {};
        AxisTap both = tap;
        if (corner.index)
          both.index = c.add(c.mul(corner.index, static_cast<double>(sizes[s])),
                             tap.index);
        if (corner.weight)
          both.weight =
              tap.weight ? c.mul(corner.weight, tap.weight) : corner.weight;
        next.push_back(both);
      }
    corners = std::move(next);
  }
  Value sum;
  for (const AxisTap &corner : corners) {
    Value rows = rowsAt(c, table, corner.index);
    if (corner.weight)
      rows = weighRows(c, rows, corner.weight);
    sum = sum ? c.add(sum, rows) : rows;
  }
  ArrayRef<int64_t> lines = c.shapeOf(places.front());
  return c.reshape(sum, {lines[0], lines[1] * lines[3], c.shapeOf(table)[2]});
}

/// Images n, c, spatial.. as tables n * groups x pixels x c / groups.
static Value tableOf(Compose &c, Value image, int64_t groups = 1) {
  ArrayRef<int64_t> shape = c.shapeOf(image);
  int64_t pixels = 1;
  for (int64_t size : shape.drop_front(2))
    pixels *= size;
  return c.transpose(
      c.reshape(image, {shape[0] * groups, shape[1] / groups, pixels}),
      {0, 2, 1});
}

/// f32 holds every pixel number.
static LogicalResult checkPixels(NodeImporter &n, int64_t pixels) {
  if (pixels <= 1 << 24)
    return success();
  return n.unsupported() << n.node.opType << " of an image of " << pixels
                         << " pixels; there may be 2^24, cut it with Slice";
}

/// GridSample-16..22: places are given from -1 to 1, the last axis first.
static LogicalResult importGridSample(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0), grid = n.operand(1);
  auto mode = n.wordAttribute(
      "mode", "linear", {"linear", "nearest", "cubic", "bilinear", "bicubic"});
  auto padding = n.wordAttribute("padding_mode", "zeros",
                                 {"zeros", "border", "reflection"});
  auto align = n.flagAttribute("align_corners", false);
  if (failed(input) || failed(grid) || failed(mode) || failed(padding) ||
      failed(align))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape(),
                    gridShape = n.typeOf(*grid).getShape();
  size_t axes = shape.size() - 2;
  if (shape.size() < 3 || gridShape.size() != shape.size() ||
      gridShape[0] != shape[0] || gridShape.back() != int64_t(axes))
    return n.error() << "the input has the shape " << formatShape(shape)
                     << " and the grid " << formatShape(gridShape)
                     << "; the grid must be N x sizes x " << axes;
  StringRef word = *mode;
  Sampling how;
  how.kernel = word == "nearest"         ? Kernel::Nearest
               : word.ends_with("cubic") ? Kernel::Cubic
                                         : Kernel::Linear;
  how.outside = *padding == "zeros"    ? Outside::Zeros
                : *padding == "border" ? Outside::Border
                                       : Outside::Reflection;
  how.alignCorners = *align;
  ArrayRef<int64_t> sizes = shape.drop_front(2),
                    points = gridShape.drop_back().drop_front();
  int64_t count = *countElements(points);
  if (failed(checkPixels(n, *countElements(sizes))))
    return failure();
  Compose c(n);
  SmallVector<int64_t> result{shape[0], shape[1]};
  result.append(points.begin(), points.end());
  if (*countElements(result) == 0)
    return c.finish(c.numbers(0.0, result, c.elementOf(*input)));
  SmallVector<int64_t> lines = linesOf(shape[0], count);
  int64_t width = lines[3];
  lines[3] *= int64_t(axes);
  Value flat = c.cast(c.reshape(*grid, lines), n.builder.getF32Type());
  SmallVector<Value> places;
  for (size_t s = 0; s < axes; ++s) {
    Value place =
        c.sliceAxis(flat, 3, int64_t(axes - 1 - s), width, int64_t(axes));
    auto size = static_cast<double>(sizes[s]);
    place = c.add(place, 1.0);
    places.push_back(*align ? c.mul(c.mul(place, 0.5), size - 1)
                            : c.mul(c.sub(c.mul(place, size), 1.0), 0.5));
  }
  Value rows = sample(c, tableOf(c, *input), places, sizes, how);
  return c.finish(
      c.reshape(channelsFirst(c, rows, how.kernel != Kernel::Nearest), result));
}

/// AffineGrid-20: the places of all pixels, x before y, as a matrix times
/// theta.
static LogicalResult importAffineGrid(NodeImporter &n) {
  FailureOr<Value> theta = n.operand(0);
  auto size = n.constantInts(1, "size");
  auto align = n.flagAttribute("align_corners", false);
  if (failed(theta) || failed(size) || failed(align))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*theta).getShape();
  int64_t axes = static_cast<int64_t>(size->size()) - 2;
  if (axes < 2 || axes > 3 || shape.size() != 3 || shape[0] != size->front() ||
      shape[1] != axes || shape[2] != axes + 1)
    return n.error() << "theta has the shape " << formatShape(shape)
                     << " and size is " << formatShape(*size)
                     << "; they must be N x 2 x 3 with N,C,H,W, or N x 3 x 4 "
                        "with N,C,D,H,W";
  ArrayRef<int64_t> sizes = ArrayRef<int64_t>(*size).drop_front(2);
  std::optional<int64_t> pixels = countElements(sizes);
  if (!pixels || *pixels < 1)
    return n.error() << "size is " << formatShape(*size)
                     << ", which is empty or too large";
  if (failed(n.checkTable({*pixels, axes + 1})))
    return failure();
  std::vector<double> places(*pixels * (axes + 1), 1.0);
  for (int64_t i = 0; i < *pixels; ++i)
    for (int64_t s = axes - 1, rest = i; s >= 0; rest /= sizes[s--]) {
      auto count = static_cast<double>(sizes[s]);
      auto at = static_cast<double>(rest % sizes[s]);
      places[i * (axes + 1) + axes - 1 - s] = !*align ? (2 * at + 1) / count - 1
                                              : sizes[s] == 1
                                                  ? -1
                                                  : 2 * at / (count - 1) - 1;
    }
  Compose c(n);
  Value matrix = c.numbers(places, {1, *pixels, axes + 1}, c.elementOf(*theta));
  Value grid = c.matmul(matrix, c.transpose(*theta, {0, 2, 1}));
  SmallVector<int64_t> result{shape[0]};
  result.append(sizes.begin(), sizes.end());
  result.push_back(axes);
  return c.finish(c.reshape(grid, result));
}

//===----------------------------------------------------------------------===//
// RoiAlign
//===----------------------------------------------------------------------===//

namespace {
/// One axis of a RoiAlign node.
struct RoiAxis {
  int64_t size, bins, samples; ///< of the image, of the result, in each bin
  int64_t column;              ///< of `rois` with the start; the end is 2 on
  Value taps[2], weights[2];   ///< R x bins * samples: pixel and weight
};
} // namespace

/// Places start + bin * (k + (i + 0.5) / samples) on one axis and the two
/// pixels around each; those more than a pixel outside weigh nothing.
static bool alignAxis(Compose &c, Value rois, double scale, bool halfPixel,
                      RoiAxis &axis) {
  Type f32 = c.n.builder.getF32Type();
  auto edge = [&](int64_t column) {
    Value scaled = c.mul(c.sliceAxis(rois, 1, column, 1), scale);
    return halfPixel ? c.sub(scaled, 0.5) : scaled;
  };
  Value start = edge(axis.column), end = edge(axis.column + 2);
  Value length = c.sub(end, start);
  if (!halfPixel)
    length = c.max(length, 1.0); // malformed regions become 1 x 1
  if (failed(c.n.checkTable({axis.bins, axis.samples})))
    return false;
  std::vector<double> steps;
  for (int64_t k = 0; k < axis.bins * axis.samples; ++k)
    steps.push_back((static_cast<double>(k / axis.samples) +
                     (static_cast<double>(k % axis.samples) + 0.5) /
                         static_cast<double>(axis.samples)) /
                    static_cast<double>(axis.bins));
  int64_t count = steps.size();
  Value place = c.add(c.mul(length, c.numbers(steps, {1, count}, f32)), start);
  if (!place)
    return false;
  // 1 for -1 <= place <= size, else 0: no place lies closer to the limit than
  // the factor resolves.
  auto size = static_cast<double>(axis.size);
  Value beyond =
      c.unary(UnaryKind::Abs, c.sub(place, c.clamp(place, -1, size)));
  Value counts = c.sub(c.number(1, beyond ? beyond : place),
                       c.min(c.mul(beyond, 0x1p30), 1.0));
  Value inside = c.clamp(place, 0, size - 1);
  Value left = c.unary(UnaryKind::Floor, inside), t = c.sub(inside, left);
  if (!t || !counts)
    return false;
  axis.taps[0] = left;
  axis.taps[1] = c.min(c.add(left, 1.0), size - 1);
  axis.weights[0] = c.mul(c.sub(c.number(1, t), t), counts);
  axis.weights[1] = c.mul(t, counts);
  return axis.taps[1] && axis.weights[0] && axis.weights[1];
}

/// Sums, or largest values, of the samples of every bin. `value` is R x
/// bins * samples x bins * samples x C.
static Value reduceBins(Compose &c, Value value, const RoiAxis axes[2],
                        bool largest) {
  for (int64_t s = 0; s < 2; ++s) {
    Value result;
    for (int64_t i = 0; i < axes[s].samples; ++i) {
      Value part = c.sliceAxis(value, 1 + s, i, axes[s].bins, axes[s].samples);
      result = !i ? part : largest ? c.max(result, part) : c.add(result, part);
    }
    value = result;
  }
  return value;
}

namespace {
/// What a RoiAlign node says.
struct RoiNode {
  Value input, rois, batches;
  bool largest = false, halfPixel = true;
  int64_t high = 1, wide = 1, ratio = 0;
  double scale = 1;
};
} // namespace

static LogicalResult readRoiAlign(NodeImporter &n, RoiNode &roi) {
  FailureOr<Value> input = n.operand(0), rois = n.operand(1),
                   batches = n.operand(2);
  auto mode = n.wordAttribute("mode", "avg", {"avg", "max"});
  auto coordinates =
      n.wordAttribute("coordinate_transformation_mode",
                      n.opset < 16 ? "output_half_pixel" : "half_pixel",
                      {"half_pixel", "output_half_pixel"});
  auto high = n.intAttribute("output_height", 1, 1, 1 << 16);
  auto wide = n.intAttribute("output_width", 1, 1, 1 << 16);
  auto ratio = n.intAttribute("sampling_ratio", 0, 0, 1 << 10);
  auto scale = n.floatAttribute("spatial_scale", 1);
  if (failed(input) || failed(rois) || failed(batches) || failed(mode) ||
      failed(coordinates) || failed(high) || failed(wide) || failed(ratio) ||
      failed(scale))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape(),
                    boxes = n.typeOf(*rois).getShape();
  if (shape.size() != 4 || boxes.size() != 2 || boxes[1] != 4 ||
      n.typeOf(*batches).getShape() != boxes.take_front(1))
    return n.error() << "the input has the shape " << formatShape(shape)
                     << ", rois " << formatShape(boxes) << " and batch_indices "
                     << formatShape(n.typeOf(*batches).getShape())
                     << "; they must be N x C x H x W, R x 4 and R";
  roi = {*input, *rois, *batches, *mode == "max", *coordinates == "half_pixel",
         *high,  *wide, *ratio,   *scale};
  return success();
}

/// As many samples as a region has pixels: a number that only the data has.
static LogicalResult alignOnHost(Compose &c, const RoiNode &roi) {
  NamedAttrList parameters;
  Builder &b = c.n.builder;
  parameters.set("mode", b.getStringAttr(roi.largest ? "max" : "avg"));
  parameters.set("half_pixel", b.getI64IntegerAttr(roi.halfPixel));
  parameters.set("sampling_ratio", b.getI64IntegerAttr(roi.ratio));
  parameters.set("output_height", b.getI64IntegerAttr(roi.high));
  parameters.set("output_width", b.getI64IntegerAttr(roi.wide));
  parameters.set("spatial_scale", b.getF64FloatAttr(roi.scale));
  SmallVector<int64_t> shape{c.shapeOf(roi.rois)[0], c.shapeOf(roi.input)[1],
                             roi.high, roi.wide};
  Type result = RankedTensorType::get(shape, c.elementOf(roi.input));
  return c.finishHost("roi_align", {roi.input, roi.rois, roi.batches},
                      parameters, result);
}

/// RoiAlign-10..22.
static LogicalResult importRoiAlign(NodeImporter &n) {
  RoiNode roi;
  if (failed(readRoiAlign(n, roi)))
    return failure();
  Compose c(n);
  if (roi.ratio == 0)
    return alignOnHost(c, roi);
  ArrayRef<int64_t> shape = c.shapeOf(roi.input);
  if (failed(checkPixels(n, shape[0] * shape[2] * shape[3])))
    return failure();
  Type f32 = n.builder.getF32Type(), element = c.elementOf(roi.input);
  RoiAxis axes[2] = {{shape[2], roi.high, roi.ratio, 1, {}, {}},
                     {shape[3], roi.wide, roi.ratio, 0, {}, {}}};
  Value places = c.cast(roi.rois, f32);
  for (RoiAxis &axis : axes)
    if (!alignAxis(c, places, roi.scale, roi.halfPixel, axis))
      return failure();
  int64_t count = c.shapeOf(roi.rois)[0], rows = roi.high * roi.ratio,
          columns = roi.wide * roi.ratio;
  Value table = c.reshape(tableOf(c, roi.input),
                          {1, shape[0] * shape[2] * shape[3], shape[1]});
  Value base = c.mul(c.reshape(c.cast(roi.batches, f32), {count, 1, 1}),
                     static_cast<double>(shape[2] * shape[3]));
  Value total;
  for (int corner = 0; corner < 4; ++corner) {
    auto across = [&](Value y, Value x) {
      return std::pair<Value, Value>(c.reshape(y, {count, rows, 1}),
                                     c.reshape(x, {count, 1, columns}));
    };
    auto [y, x] = across(axes[0].taps[corner / 2], axes[1].taps[corner % 2]);
    auto [wy, wx] =
        across(axes[0].weights[corner / 2], axes[1].weights[corner % 2]);
    Value index =
        c.add(c.add(c.mul(y, static_cast<double>(shape[3])), base), x);
    Value gathered = c.gather(
        table, rowNumbers(c, c.reshape(index, {1, count * rows * columns})));
    Value weight =
        c.reshape(c.cast(c.mul(wy, wx), element), {count, rows, columns, 1});
    Value part =
        c.mul(c.reshape(gathered, {count, rows, columns, shape[1]}), weight);
    total = !corner       ? part
            : roi.largest ? c.max(total, part)
                          : c.add(total, part);
  }
  Value bins = reduceBins(c, total, axes, roi.largest);
  if (!roi.largest)
    bins = c.mul(bins, 1.0 / static_cast<double>(roi.ratio * roi.ratio));
  return c.finish(c.transpose(bins, {0, 3, 1, 2}));
}

/// MaxRoiPool-1..22: on the host, the windows are data.
static LogicalResult importMaxRoiPool(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0), rois = n.operand(1);
  auto pooled = n.intsAttribute("pooled_shape", 2, 1, 1);
  auto scale = n.floatAttribute("spatial_scale", 1);
  if (failed(input) || failed(rois) || failed(pooled) || failed(scale))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape(),
                    boxes = n.typeOf(*rois).getShape();
  if (!n.hasAttribute("pooled_shape"))
    return n.error() << "pooled_shape is missing";
  if ((*pooled)[0] > kMaxElements || (*pooled)[1] > kMaxElements / (*pooled)[0])
    return n.error() << "pooled_shape is " << (*pooled)[0] << " x "
                     << (*pooled)[1] << "; a tensor may have at most "
                     << kMaxElements << " elements";
  if (shape.size() != 4 || boxes.size() != 2 || boxes[1] != 5)
    return n.error() << "the input has the shape " << formatShape(shape)
                     << " and rois " << formatShape(boxes)
                     << "; they must be N x C x H x W and R x 5";
  NamedAttrList parameters;
  Builder &b = n.builder;
  parameters.set("output_height", b.getI64IntegerAttr((*pooled)[0]));
  parameters.set("output_width", b.getI64IntegerAttr((*pooled)[1]));
  parameters.set("spatial_scale", b.getF64FloatAttr(*scale));
  Compose c(n);
  return c.finishHost(
      "max_roi_pool", {*input, *rois}, parameters,
      RankedTensorType::get({boxes[0], shape[1], (*pooled)[0], (*pooled)[1]},
                            c.elementOf(*input)));
}

//===----------------------------------------------------------------------===//
// DeformConv
//===----------------------------------------------------------------------===//

namespace {
/// What a DeformConv node says, with the sizes of its result.
struct DeformedWindow {
  Window window;
  int64_t group = 1, offsetGroup = 1, high = 0, wide = 0;
  int64_t cells() const { return window.kernel[0] * window.kernel[1]; }
  int64_t pixels() const { return high * wide; }
};
} // namespace

static LogicalResult readDeformed(NodeImporter &n, Value input, Value filter,
                                  Value offset, DeformedWindow &deformed) {
  ArrayRef<int64_t> shape = n.typeOf(input).getShape(),
                    weights = n.typeOf(filter).getShape(),
                    offsets = n.typeOf(offset).getShape();
  if (shape.size() != 4 || weights.size() != 4 || offsets.size() != 4)
    return n.unsupported() << "DeformConv of inputs of rank " << shape.size()
                           << "; two spatial axes (rank 4) are supported";
  auto window = readWindow(n, shape.drop_front(2), weights.drop_front(2));
  auto group = n.intAttribute("group", 1, 1);
  auto offsetGroup = n.intAttribute("offset_group", 1, 1);
  if (failed(window) || failed(group) || failed(offsetGroup))
    return failure();
  deformed = {*window, *group, *offsetGroup, offsets[2], offsets[3]};
  for (int s = 0; s < 2; ++s) {
    int64_t extent = window->dilations[s] * (window->kernel[s] - 1) + 1;
    int64_t free =
        shape[2 + s] + window->pads[s] + window->pads[2 + s] - extent;
    if (free < 0 || free / window->strides[s] + 1 != offsets[2 + s])
      return n.error() << "offset has the shape " << formatShape(offsets)
                       << ", which is not that of the result on spatial axis "
                       << s;
  }
  if (shape[1] % *group || weights[0] % *group ||
      weights[1] != shape[1] / *group || shape[1] % *offsetGroup ||
      offsets[0] != shape[0] ||
      offsets[1] != 2 * *offsetGroup * deformed.cells())
    return n.error() << "the input has the shape " << formatShape(shape)
                     << ", the filter " << formatShape(weights)
                     << " and offset " << formatShape(offsets)
                     << "; they do not fit group " << *group
                     << " and offset_group " << *offsetGroup;
  return success();
}

/// Where the kernel positions look: per axis (image * offset group) x cell x 1
/// x pixel of f32.
static SmallVector<Value> deformedPlaces(Compose &c, Value offset,
                                         const DeformedWindow &deformed,
                                         int64_t images) {
  const Window &window = deformed.window;
  Type f32 = c.n.builder.getF32Type();
  int64_t cells = deformed.cells(), pixels = deformed.pixels();
  int64_t tables = images * deformed.offsetGroup;
  if (failed(c.n.checkTable({cells, pixels})))
    return {};
  Value moves = c.cast(c.reshape(offset, {tables, cells, 2, pixels}), f32);
  SmallVector<Value> places;
  for (int64_t s = 0; s < 2; ++s) {
    std::vector<double> grid;
    for (int64_t cell = 0; cell < cells; ++cell)
      for (int64_t pixel = 0; pixel < pixels; ++pixel) {
        int64_t k = s ? cell % window.kernel[1] : cell / window.kernel[1];
        int64_t at = s ? pixel % deformed.wide : pixel / deformed.wide;
        grid.push_back(static_cast<double>(
            at * window.strides[s] + k * window.dilations[s] - window.pads[s]));
      }
    places.push_back(c.add(c.sliceAxis(moves, 2, s, 1),
                           c.numbers(grid, {1, cells, 1, pixels}, f32)));
  }
  return places;
}

/// DeformConv-19..22: a convolution whose kernel positions are moved by
/// computed offsets and weighted by a computed mask.
static LogicalResult importDeformConv(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0), filter = n.operand(1),
                   offset = n.operand(2);
  DeformedWindow deformed;
  if (failed(input) || failed(filter) || failed(offset) ||
      failed(readDeformed(n, *input, *filter, *offset, deformed)))
    return failure();
  SmallVector<int64_t> shape(n.typeOf(*input).getShape()),
      weights(n.typeOf(*filter).getShape());
  int64_t cells = deformed.cells(), pixels = deformed.pixels();
  int64_t tables = shape[0] * deformed.offsetGroup,
          own = shape[1] / deformed.offsetGroup;
  if (failed(checkPixels(n, shape[2] * shape[3])))
    return failure();
  Compose c(n);
  Value rows = sample(c, tableOf(c, *input, deformed.offsetGroup),
                      deformedPlaces(c, *offset, deformed, shape[0]),
                      {shape[2], shape[3]}, Sampling());
  if (Value mask = n.optionalOperand(4))
    rows = c.mul(rows, c.reshape(mask, {tables, cells * pixels, 1}));
  // To a matrix of one row for each channel and cell.
  Value columns =
      c.transpose(c.reshape(rows, {tables, cells, pixels, own}), {0, 3, 1, 2});
  int64_t depth = weights[1] * cells;
  Value matrix = c.reshape(columns, {shape[0], deformed.group, depth, pixels});
  Value product =
      c.matmul(c.reshape(*filter, {1, deformed.group,
                                   weights[0] / deformed.group, depth}),
               matrix);
  Value result =
      c.reshape(product, {shape[0], weights[0], deformed.high, deformed.wide});
  if (Value bias = n.optionalOperand(3))
    result = c.add(result, c.reshape(bias, {1, weights[0], 1, 1}));
  return c.finish(result);
}

void weft::onnx::registerSampleRows(OpRegistry &registry) {
  registry.add(
      "Resize",
      {{"AffineGrid", 20, kLastOpset, importAffineGrid, "constant size"},
       {"DeformConv", 19, kLastOpset, importDeformConv, "2 spatial axes"},
       {"GridSample", 16, kLastOpset, importGridSample,
        "images of up to 2^24 pixels"},
       {"MaxRoiPool", 1, kLastOpset, importMaxRoiPool, "on the host"},
       {"RoiAlign", 10, kLastOpset, importRoiAlign,
        "sampling_ratio 0 on the host"}});
}
