//===- Resize.cpp - ONNX rows of the Resize family ------------------------===//

#include "dialects/top/Resize.h"

#include "dialects/top/Conv.h"
#include "frontend/onnx/Compose.h"
#include "frontend/onnx/Interpolation.h"
#include "frontend/onnx/OpRows.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

namespace {
/// What a Resize or Upsample node says, for every axis of the input.
struct ResizePlan {
  Interpolation how;
  double fill = 0; ///< extrapolation_value
  SmallVector<ResizedAxis> axes;
};

/// A tensor seen as three axes around one of its own.
struct AxisView {
  int64_t outer = 1, size = 1, inner = 1;
  AxisView(ArrayRef<int64_t> shape, int64_t axis) : size(shape[axis]) {
    for (int64_t i = 0, rank = shape.size(); i < rank; ++i)
      if (i != axis)
        (i < axis ? outer : inner) *= shape[i];
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// One axis
//===----------------------------------------------------------------------===//

/// The index of the single value with weight 1 that each result is a copy of;
/// nullopt if some are sums.
static std::optional<SmallVector<int64_t>> copiedIndices(ArrayRef<Taps> taps) {
  SmallVector<int64_t> indices;
  for (const Taps &one : taps) {
    if (one.size() != 1 || one.front().weight != 1)
      return std::nullopt;
    indices.push_back(one.front().index);
  }
  return indices;
}

/// `value`, of rank 3 or more, with rows and columns repeated as `factors` say.
static Value repeatPlane(Compose &c, Value value, ArrayRef<int64_t> factors) {
  SmallVector<int64_t> shape(c.shapeOf(value));
  int64_t rank = shape.size(), batch = rank == 4 ? shape[0] : 1, channels = 1;
  for (int64_t size : ArrayRef(shape).drop_back(2).drop_front(rank == 4))
    channels *= size;
  Value folded =
      c.reshape(value, {batch, channels, shape[rank - 2], shape[rank - 1]});
  if (!folded)
    return {};
  Value wide = Compose::orNull(
      c.n.create<top::InterleaveOp>(ValueRange(folded), factors));
  shape[rank - 2] *= factors[0];
  shape[rank - 1] *= factors[1];
  return c.reshape(wide, shape);
}

/// `value` with the axis repeated value by value. Rows and columns stay in the
/// lanes of their channels.
static Value repeat(Compose &c, Value value, int64_t axis, int64_t factor) {
  if (factor == 1 || !value)
    return value;
  SmallVector<int64_t> shape(c.shapeOf(value));
  int64_t rank = shape.size();
  if (rank >= 3 && axis >= rank - 2)
    return repeatPlane(c, value,
                       axis == rank - 1 ? ArrayRef<int64_t>{1, factor}
                                        : ArrayRef<int64_t>{factor, 1});
  AxisView view(shape, axis);
  shape[axis] *= factor;
  Value folded = c.reshape(value, {1, view.outer, view.size, view.inner});
  if (!folded)
    return {};
  Value wide = Compose::orNull(c.n.create<top::InterleaveOp>(
      ValueRange(folded), ArrayRef<int64_t>{factor, 1}));
  return c.reshape(wide, shape);
}

/// How often an index stands at most one after the other.
static int64_t longestRun(ArrayRef<int64_t> indices) {
  int64_t longest = 1, run = 1;
  for (size_t i = 1; i < indices.size(); ++i) {
    run = indices[i] == indices[i - 1] ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  return longest;
}

/// Pieces of `places` with one step each (0: a value that is repeated), joined.
static Value joinPieces(Compose &c, Value value, int64_t axis,
                        ArrayRef<int64_t> places) {
  SmallVector<Value> parts;
  for (size_t i = 0; i < places.size();) {
    size_t count = 1;
    int64_t step = i + 1 < places.size() ? places[i + 1] - places[i] : 1;
    while (i + count < places.size() &&
           places[i + count] - places[i + count - 1] == step)
      ++count;
    int64_t length = static_cast<int64_t>(count);
    parts.push_back(
        step ? c.sliceAxis(value, axis, places[i], length, step)
             : repeat(c, c.sliceAxis(value, axis, places[i], 1), axis, length));
    i += count;
  }
  return c.concat(parts, axis);
}

/// The values at `indices` of an axis. Of rows and columns each is repeated as
/// often as the one that is needed most, so that longer pieces have one step,
/// unless that is more than twice of what is wanted.
static Value pick(Compose &c, Value value, int64_t axis,
                  ArrayRef<int64_t> indices) {
  auto [least, most] = std::minmax_element(indices.begin(), indices.end());
  int64_t first = *least, size = *most - first + 1,
          rank = c.shapeOf(value).size(), factor = longestRun(indices);
  bool isWide = rank >= 3 && axis >= rank - 2 && factor > 1 &&
                size * factor <= 2 * int64_t(indices.size());
  if (!isWide)
    return joinPieces(c, value, axis, indices);
  Value wide = repeat(c, c.sliceAxis(value, axis, first, size), axis, factor);
  SmallVector<int64_t> places;
  for (size_t i = 0; i < indices.size(); ++i)
    places.push_back(i > 0 && indices[i] == indices[i - 1]
                         ? places.back() + 1
                         : (indices[i] - first) * factor);
  return joinPieces(c, wide, axis, places);
}

/// Every value as often as `factor` says: index i is i / factor.
static std::optional<int64_t> repetition(ArrayRef<int64_t> indices,
                                         int64_t input) {
  int64_t count = indices.size();
  if (input < 1 || count % input)
    return std::nullopt;
  for (int64_t i = 0; i < count; ++i)
    if (indices[i] != i / (count / input))
      return std::nullopt;
  return count / input;
}

/// Weighted sums along an axis: a convolution whose channels are the axis.
static Value combine(Compose &c, Value value, int64_t axis,
                     ArrayRef<Taps> taps) {
  AxisView view(c.shapeOf(value), axis);
  int64_t output = taps.size();
  if (failed(c.n.checkTable({output, view.size})))
    return {};
  std::vector<double> weights(output * view.size, 0.0);
  bool last = view.inner == 1;
  for (int64_t i = 0; i < output; ++i)
    for (const Tap &tap : taps[i])
      weights[last ? tap.index * output + i : i * view.size + tap.index] =
          tap.weight;
  SmallVector<int64_t> shape(c.shapeOf(value));
  shape[axis] = output;
  Type element = c.elementOf(value);
  if (last) {
    Value matrix = c.numbers(weights, {view.size, output}, element);
    return c.reshape(
        c.matmul(c.reshape(value, {view.outer, view.size}), matrix), shape);
  }
  Value filter = c.numbers(weights, {output, view.size, 1}, element);
  Value folded = c.reshape(value, {view.outer, view.size, view.inner});
  if (!folded)
    return {};
  Value sums = Compose::orNull(c.n.create<top::ConvOp>(
      folded, filter, Value(), ArrayRef<int64_t>{1}, ArrayRef<int64_t>{0, 0},
      ArrayRef<int64_t>{1}, int64_t(1)));
  return c.reshape(sums, shape);
}

/// One axis of the result; `fill` where tf_crop_and_resize looks outside.
static Value resizeAxis(Compose &c, Value value, int64_t axis,
                        const ResizePlan &plan) {
  const ResizedAxis &resized = plan.axes[axis];
  std::vector<Taps> taps = interpolate(plan.how, resized);
  // Places grow along the axis, so those outside lie at its ends.
  auto outside = [](const Taps &one) { return one.empty(); };
  int64_t begin = 0, end = 0, count = taps.size();
  while (begin < count && outside(taps[begin]))
    ++begin;
  while (end < count - begin && outside(taps[count - 1 - end]))
    ++end;
  ArrayRef<Taps> inner = ArrayRef<Taps>(taps).slice(begin, count - begin - end);
  Value result = value;
  if (inner.empty())
    result = c.sliceAxis(value, axis, 0, 0);
  else if (auto indices = copiedIndices(inner)) {
    auto factor = repetition(*indices, resized.input);
    result = factor ? repeat(c, value, axis, *factor)
                    : pick(c, value, axis, *indices);
  } else {
    result = combine(c, value, axis, inner);
  }
  if (!result || (begin == 0 && end == 0))
    return result;
  SmallVector<int64_t> before(plan.axes.size(), 0), after = before;
  before[axis] = begin;
  after[axis] = end;
  return c.pad(result, before, after, plan.fill);
}

/// Whole factors on the last two axes in one step.
static std::optional<Value> repeatWhole(Compose &c, Value value,
                                        const ResizePlan &plan) {
  int64_t rank = c.shapeOf(value).size(), factors[2];
  if (rank < 3 || plan.how.mode != "nearest")
    return std::nullopt;
  for (int64_t axis = 0; axis < rank; ++axis) {
    const ResizedAxis &resized = plan.axes[axis];
    auto indices = copiedIndices(interpolate(plan.how, resized));
    auto factor = indices ? repetition(*indices, resized.input) : std::nullopt;
    if (!factor || (axis < rank - 2 && *factor != 1))
      return std::nullopt;
    if (axis >= rank - 2)
      factors[axis - (rank - 2)] = *factor;
  }
  return repeatPlane(c, value, factors);
}

static LogicalResult build(NodeImporter &n, Value input,
                           const ResizePlan &plan) {
  Compose c(n);
  for (const ResizedAxis &axis : plan.axes)
    if (axis.output > 0 && axis.input < 1)
      return n.error() << "the input has the shape "
                       << formatShape(c.shapeOf(input))
                       << "; there is nothing to resize to " << axis.output
                       << " values";
  for (const ResizedAxis &axis : plan.axes)
    if (failed(n.checkTable(axis.output)))
      return failure();
  if (std::optional<Value> wide = repeatWhole(c, input, plan))
    return c.finish(*wide);
  Type element = c.elementOf(input);
  bool sums = plan.how.mode != "nearest";
  Value value = sums && !isa<FloatType>(element)
                    ? c.cast(input, n.builder.getF32Type())
                    : input;
  bool crops = plan.how.coordinates == "tf_crop_and_resize";
  // The axis that shrinks most goes first: the others have less to do.
  SmallVector<int64_t> order;
  for (int64_t axis = 0, rank = plan.axes.size(); axis < rank; ++axis) {
    const ResizedAxis &resized = plan.axes[axis];
    bool whole = resized.scale == 1 && resized.input == resized.output;
    if (!whole || (crops && (resized.roiStart != 0 || resized.roiEnd != 1)))
      order.push_back(axis);
  }
  llvm::stable_sort(order, [&](int64_t a, int64_t b) {
    return plan.axes[a].scale < plan.axes[b].scale;
  });
  for (int64_t axis : order)
    if (value)
      value = resizeAxis(c, value, axis, plan);
  return c.finish(c.cast(value, element));
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// The numbers of operand `i`; empty if it is left out or has none.
static FailureOr<SmallVector<double>> numbersOf(NodeImporter &n, unsigned i,
                                                StringRef what) {
  Value value = n.optionalOperand(i);
  if (!value)
    return SmallVector<double>();
  auto numbers = constantNumbersOf(value);
  if (numbers)
    return *numbers;
  return n.unsupported() << what << " ('" << n.node.inputs[i]
                         << "') is computed; it must be constant, give it with "
                            "--bind "
                         << n.node.inputs[i] << "=FILE.npz",
         failure();
}

static LogicalResult setScale(NodeImporter &n, ResizedAxis &axis, double scale,
                              int64_t number) {
  double output = std::floor(static_cast<double>(axis.input) * scale);
  if (!(scale > 0) || output >= 0x1p31)
    return n.error() << "the scale of axis " << number << " is "
                     << std::to_string(scale)
                     << ", must be above 0 and give less than 2^31 values";
  axis.scale = scale;
  axis.output = static_cast<int64_t>(output);
  return success();
}

/// A plan that keeps the shape of operand 0.
static FailureOr<ResizePlan> wholePlan(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  ResizePlan plan;
  for (int64_t size : n.typeOf(*input).getShape())
    plan.axes.push_back({size, size, 1, 0, 1});
  return plan;
}

/// Upsample-7 (an attribute), Upsample-9 and Resize-10 (an operand): scales of
/// all axes, x / scale, rounded down.
static LogicalResult importScaled(NodeImporter &n) {
  FailureOr<ResizePlan> plan = wholePlan(n);
  auto mode = n.wordAttribute("mode", "nearest",
                              {"nearest", "linear", "bilinear", "cubic"});
  if (failed(plan) || failed(mode))
    return failure();
  SmallVector<double> scales;
  if (n.opset < 9) {
    if (const NodeAttribute *given = n.node.find("scales"))
      for (float scale : given->floats)
        scales.push_back(scale);
  } else {
    auto given = numbersOf(n, 1, "scales");
    if (failed(given))
      return failure();
    scales = *given;
  }
  if (scales.size() != plan->axes.size())
    return n.error() << "scales has " << scales.size()
                     << " values; it must have one for each of the "
                     << plan->axes.size() << " axes of the input";
  for (size_t i = 0; i < scales.size(); ++i)
    if (failed(setScale(n, plan->axes[i], scales[i], i)))
      return failure();
  plan->how.mode = *mode == "bilinear" ? "linear" : *mode;
  plan->how.coordinates = "asymmetric";
  // Opset 10 does not say; ONNX Runtime enlarges by floor and shrinks by ceil.
  bool shrinks = llvm::any_of(scales, [](double scale) { return scale < 1; });
  plan->how.rounding = shrinks ? "ceil" : "floor";
  return build(n, *n.operand(0), *plan);
}

static FailureOr<Interpolation> readInterpolation(NodeImporter &n) {
  Interpolation how;
  auto mode =
      n.wordAttribute("mode", "nearest", {"nearest", "linear", "cubic"});
  auto coordinates =
      n.wordAttribute("coordinate_transformation_mode", "half_pixel",
                      {"half_pixel", "half_pixel_symmetric",
                       "pytorch_half_pixel", "align_corners", "asymmetric",
                       "tf_crop_and_resize", "tf_half_pixel_for_nn"});
  auto rounding = n.wordAttribute(
      "nearest_mode", "round_prefer_floor",
      {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  auto cubicA = n.floatAttribute("cubic_coeff_a", -0.75);
  auto exclude = n.flagAttribute("exclude_outside", false);
  auto antialias = n.flagAttribute("antialias", false);
  if (failed(mode) || failed(coordinates) || failed(rounding) ||
      failed(cubicA) || failed(exclude) || failed(antialias))
    return failure();
  if (*antialias && *mode == "nearest") {
    n.error() << "antialias is 1 with mode nearest; it needs linear or cubic";
    return failure();
  }
  how.mode = *mode;
  how.coordinates = *coordinates;
  how.rounding = *rounding;
  how.cubicA = *cubicA;
  how.excludeOutside = *exclude && *mode != "nearest"; // a copy has no sum
  how.antialias = *antialias;
  return how;
}

/// Sizes of the listed axes, with the policy about their proportions.
static LogicalResult applySizes(NodeImporter &n, ResizePlan &plan,
                                ArrayRef<int64_t> axes,
                                ArrayRef<int64_t> sizes) {
  auto policy = n.wordAttribute("keep_aspect_ratio_policy", "stretch",
                                {"stretch", "not_larger", "not_smaller"});
  if (failed(policy))
    return failure();
  std::optional<double> common;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (sizes[i] < 0 || sizes[i] >= int64_t(1) << 31)
      return n.error() << "sizes[" << i << "] is " << sizes[i]
                       << ", must be in 0 .. 2^31";
    ResizedAxis &axis = plan.axes[axes[i]];
    axis.output = sizes[i];
    axis.scale = static_cast<double>(sizes[i]) /
                 static_cast<double>(std::max<int64_t>(axis.input, 1));
    if (!common ||
        (*policy == "not_larger" ? axis.scale < *common : axis.scale > *common))
      common = axis.scale;
  }
  if (*policy == "stretch")
    return success();
  for (int64_t number : axes) {
    ResizedAxis &axis = plan.axes[number];
    axis.scale = *common;
    axis.output = static_cast<int64_t>(
        std::floor(*common * static_cast<double>(axis.input) + 0.5));
  }
  return success();
}

/// Resize-11..: region, scales or sizes as operands.
static LogicalResult importResize(NodeImporter &n) {
  FailureOr<ResizePlan> plan = wholePlan(n);
  if (failed(plan))
    return failure();
  auto how = readInterpolation(n);
  auto fill = n.floatAttribute("extrapolation_value", 0);
  auto roi = numbersOf(n, 1, "roi");
  auto scales = numbersOf(n, 2, "scales");
  auto sizes = numbersOf(n, 3, "sizes");
  auto listed = n.axesAttribute(plan->axes.size());
  if (failed(how) || failed(fill) || failed(roi) || failed(scales) ||
      failed(sizes) || failed(listed))
    return failure();
  plan->how = *how;
  plan->fill = *fill;
  ArrayRef<int64_t> axes = *listed; // their order is that of the lists
  bool bySize = !sizes->empty();
  const SmallVector<double> &given = bySize ? *sizes : *scales;
  if (given.size() != axes.size() || (bySize && !scales->empty()))
    return n.error() << "scales has " << scales->size() << " values and sizes "
                     << sizes->size() << "; one of them must have "
                     << axes.size() << " and the other none";
  if (plan->how.coordinates == "tf_crop_and_resize") {
    if (roi->size() != 2 * axes.size())
      return n.error() << "roi has " << roi->size() << " values, must have "
                       << 2 * axes.size() << " (starts, then ends)";
    for (size_t i = 0; i < axes.size(); ++i) {
      plan->axes[axes[i]].roiStart = (*roi)[i];
      plan->axes[axes[i]].roiEnd = (*roi)[axes.size() + i];
    }
  }
  if (bySize) {
    SmallVector<int64_t> whole(sizes->begin(), sizes->end());
    if (failed(applySizes(n, *plan, axes, whole)))
      return failure();
  } else {
    for (size_t i = 0; i < axes.size(); ++i)
      if (failed(setScale(n, plan->axes[axes[i]], given[i], axes[i])))
        return failure();
  }
  return build(n, *n.operand(0), *plan);
}

void weft::onnx::registerResizeRows(OpRegistry &registry) {
  registry.add("Resize", {{"Resize", 10, 10, importScaled, "constant scales"},
                          {"Resize", 11, kLastOpset, importResize,
                           "constant scales, sizes and roi"},
                          {"Upsample", 7, 9, importScaled, "constant scales"}});
}
