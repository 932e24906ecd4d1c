//===- Reduce.cpp - reductions to tpu -------------------------------------===//
//
// A tensor reduced along neighbouring axes is outer x size x inner. The chip
// combines elements that lie in one lane, so one of three views is chosen:
//
//   inner 1:  1, outer, 1, size   lines along w, one a lane
//   outer 1:  size, c, 1, w       planes along n, inner = c x w over the lanes
//   else:     1, outer, size, inner
//
// Lines too long for local memory, or too few for the lanes, are reduced in two
// stages: outer x parts lines first, then the parts.
//
//===----------------------------------------------------------------------===//

#include "dialects/top/Reduce.h"

#include "dialects/top/Binary.h"
#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Reduce.h"
#include "passes/quantize/Lowering.h"

#include <numeric>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// Bytes a lane of one line; its half and a second slot have to fit beside it.
constexpr int64_t kLineBytes = 48 * 1024;
/// Channels that fill all lanes.
constexpr int64_t kLanes = 64;
/// Sizes of one command.
constexpr int64_t kLargestAxis = 65535;
/// Each plane of a view along n takes at least one row of a lane.
constexpr int64_t kRowBytes = 64;

namespace {
/// A view of outer x size x inner, and the axis that `size` lies on.
struct LineView {
  SmallVector<int64_t, 4> shape;
  int64_t axis;
};
} // namespace

/// `count` as n x c with both in the range of a command and c, if possible, at
/// least the number of lanes. std::nullopt if there are no such factors.
static std::optional<std::pair<int64_t, int64_t>> splitOuter(int64_t count) {
  if (count <= kLargestAxis)
    return std::pair(int64_t(1), count);
  for (int64_t n = count / kLargestAxis; n <= kLargestAxis; ++n)
    if (count % n == 0 && count / n <= kLargestAxis)
      return std::pair(n, count / n);
  return std::nullopt;
}

/// `count` as c x w: c the smallest divisor that fills the lanes.
static std::optional<std::pair<int64_t, int64_t>> splitInner(int64_t count) {
  for (int64_t c = std::min(kLanes, count); c <= std::min(count, kLargestAxis);
       ++c)
    if (count % c == 0 && count / c <= kLargestAxis)
      return std::pair(c, count / c);
  return std::nullopt;
}

/// The view in which a lane holds whole lines; std::nullopt if there is none.
static std::optional<LineView> lineView(int64_t outer, int64_t size,
                                        int64_t inner, int64_t elementBytes) {
  if (inner == 1) {
    auto split = splitOuter(outer);
    if (split && size * elementBytes <= kLineBytes)
      return LineView{{split->first, split->second, 1, size}, tpu::kAxisW};
    return std::nullopt;
  }
  if (outer == 1 && size * kRowBytes <= kLineBytes)
    if (auto split = splitInner(inner))
      return LineView{{size, split->first, 1, split->second}, tpu::kAxisN};
  auto split = splitOuter(outer);
  if (split && size * elementBytes <= kLineBytes && inner <= kLargestAxis)
    return LineView{{split->first, split->second, size, inner}, tpu::kAxisH};
  return std::nullopt;
}

/// In how many parts lines of `size` are best reduced first; 1: in one go.
static int64_t partsOf(int64_t outer, int64_t size, int64_t inner,
                       int64_t elementBytes) {
  bool fits = lineView(outer, size, inner, elementBytes).has_value();
  bool spread = inner > 1 || outer >= kLanes || size < 4 * kLanes;
  if (fits && spread)
    return 1;
  int64_t best = 1; // fewest parts that fill the lanes, else most of them
  for (int64_t parts = 2; parts <= size / 2; ++parts) {
    if (size % parts)
      continue;
    if (!lineView(outer * parts, size / parts, inner, elementBytes))
      continue;
    best = parts;
    if (outer * parts >= kLanes)
      break;
  }
  return best;
}

/// Whether a reduction of `size` can be built at all: before building it.
static bool canReduce(int64_t outer, int64_t size, int64_t inner,
                      int64_t elementBytes) {
  int64_t parts = partsOf(outer, size, inner, elementBytes);
  if (parts == 1)
    return lineView(outer, size, inner, elementBytes).has_value();
  return canReduce(outer * parts, size / parts, inner, elementBytes) &&
         canReduce(outer, parts, inner, elementBytes);
}

static Value reduceLines(Lowering &lowering, Location loc, tpu::ReduceKind kind,
                         Value value, int64_t outer, int64_t size,
                         int64_t inner) {
  Type element = tpu::elementOf(value);
  int64_t parts = partsOf(outer, size, inner, tpu::elementBytes(element));
  if (parts > 1) {
    value = reduceLines(lowering, loc, kind, value, outer * parts, size / parts,
                        inner);
    return reduceLines(lowering, loc, kind, value, outer, parts, inner);
  }
  LineView view = *lineView(outer, size, inner, tpu::elementBytes(element));
  SmallVector<int64_t, 4> shape = view.shape;
  shape[view.axis] = 1;
  return lowering.builder.create<tpu::ReduceOp>(
      loc, lowering.tensor(shape, element), kind,
      lowering.reshaped(loc, value, view.shape), view.axis);
}

namespace {
/// One run of neighbouring axes that are all reduced, or all kept.
struct AxisRun {
  int64_t size;
  bool reduced;
};
} // namespace

static SmallVector<AxisRun> axisRuns(ArrayRef<int64_t> shape,
                                     ArrayRef<int64_t> axes) {
  SmallVector<AxisRun> runs;
  for (auto [axis, size] : llvm::enumerate(shape)) {
    bool reduced = llvm::is_contained(axes, int64_t(axis));
    if (size == 1)
      continue;
    if (!runs.empty() && runs.back().reduced == reduced)
      runs.back().size *= size;
    else
      runs.push_back({size, reduced});
  }
  return runs;
}

static int64_t sizeOf(ArrayRef<AxisRun> runs) {
  int64_t size = 1;
  for (const AxisRun &run : runs)
    size *= run.size;
  return size;
}

/// The element type in which the chip reduces `input`: sums and products of
/// floats in f32.
static Type reducedType(Lowering &lowering, Value input, bool adds) {
  Type element = cast<RankedTensorType>(input.getType()).getElementType();
  if (isa<IntegerType>(element))
    return storedElement(element);
  return adds ? lowering.f32() : lowering.elementwiseType(input);
}

static tpu::ReduceKind machineKind(top::ReduceKind kind) {
  return *tpu::symbolizeReduceKind(top::stringifyReduceKind(kind));
}

static LogicalResult lowerReduce(top::ReduceOp op, Lowering &lowering) {
  bool adds = op.getKind() == top::ReduceKind::Sum ||
              op.getKind() == top::ReduceKind::Prod;
  Type element = reducedType(lowering, op.getInput(), adds);
  auto shape = cast<RankedTensorType>(op.getInput().getType()).getShape();
  SmallVector<AxisRun> runs = axisRuns(shape, op.getAxes());
  // From the last run to the first, so that what is behind is small already.
  struct Step {
    int64_t outer, size, inner;
  };
  SmallVector<Step> steps;
  for (size_t i = runs.size(); i-- > 0;) {
    if (!runs[i].reduced)
      continue;
    Step step{sizeOf(ArrayRef(runs).take_front(i)), runs[i].size,
              sizeOf(ArrayRef(runs).drop_front(i + 1))};
    if (!canReduce(step.outer, step.size, step.inner,
                   tpu::elementBytes(element)))
      return unsupported(op)
             << "a reduction of " << step.size << " values that have no "
             << "factors to cut them by; pad the axis to a round size";
    steps.push_back(step);
    runs[i].size = 1;
  }
  FailureOr<Value> input = lowering.value(op.getInput(), element, op);
  if (failed(input))
    return failure();
  Value value = *input;
  for (const Step &step : steps)
    value = reduceLines(lowering, op.getLoc(), machineKind(op.getKind()), value,
                        step.outer, step.size, step.inner);
  lowering.define(
      op.getOutput(),
      lowering.reshaped(op.getLoc(), value, lowering.shapeOf(op.getOutput())));
  return success();
}

/// The view of `shape` in which lines along `axis` lie in lanes.
static std::optional<LineView> viewAround(ArrayRef<int64_t> shape, int64_t axis,
                                          int64_t elementBytes) {
  int64_t outer = 1, inner = 1;
  for (int64_t before : shape.take_front(axis))
    outer *= before;
  for (int64_t after : shape.drop_front(axis + 1))
    inner *= after;
  return lineView(outer, shape[axis], inner, elementBytes);
}

static LogicalResult lowerArgReduce(top::ArgReduceOp op, Lowering &lowering) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Type stored = reducedType(lowering, op.getInput(), /*adds=*/false);
  auto integer = dyn_cast<IntegerType>(stored);
  if (integer && integer.getWidth() == 32 && integer.isUnsigned())
    return unsupported(op) << "the index of an extreme of unsigned 32-bit "
                              "numbers; cast them to int32";
  // Integers up to 16 bits are exact in f32.
  Type element = integer && integer.getWidth() == 32
                     ? Type(lowering.builder.getI32Type())
                     : Type(lowering.f32());
  int64_t axis = op.getAxisAttr().getInt(), size = type.getDimSize(axis);
  // Hits and a second slot have to fit beside the line.
  std::optional<LineView> view =
      viewAround(type.getShape(), axis, /*elementBytes=*/8);
  if (!view)
    return unsupported(op) << "the index of an extreme of " << size
                           << " values; cut the axis and compare the parts";
  FailureOr<Value> input =
      lowering.value(op.getInput(), element, view->shape, op);
  if (failed(input))
    return failure();
  SmallVector<int64_t, 4> codeShape{1, 1, 1, 1}, shape = view->shape;
  codeShape[view->axis] = size;
  shape[view->axis] = 1;
  std::vector<int32_t> codes(size);
  std::iota(codes.begin(), codes.end(), 1);
  if (!op.getLast())
    std::reverse(codes.begin(), codes.end());
  Value weight;
  if (element.isF32())
    weight =
        *lowering.floatWeight(op.getLoc(), codeShape, element,
                              std::vector<float>(codes.begin(), codes.end()));
  else
    weight = lowering.i32Weight(op.getLoc(), codeShape, codes);
  Value result = lowering.builder.create<tpu::ArgReduceOp>(
      op.getLoc(), lowering.tensor(shape, lowering.builder.getI32Type()),
      machineKind(op.getKind()), *input, weight, view->axis, op.getLast());
  lowering.define(
      op.getOutput(),
      lowering.reshaped(op.getLoc(), result, lowering.shapeOf(op.getOutput())));
  return success();
}

static LogicalResult lowerCumulative(top::CumulativeOp op, Lowering &lowering) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Type element = reducedType(lowering, op.getInput(), /*adds=*/true);
  if (element.getIntOrFloatBitWidth() != 32)
    return unsupported(op) << "running values of " << element
                           << "; cast them to int32 or float";
  int64_t axis = op.getAxisAttr().getInt();
  std::optional<LineView> view =
      viewAround(type.getShape(), axis, /*elementBytes=*/8);
  if (!view)
    return unsupported(op) << "running values along an axis of "
                           << type.getDimSize(axis)
                           << "; cut the axis and add the sums of the parts";
  FailureOr<Value> input =
      lowering.value(op.getInput(), element, view->shape, op);
  if (failed(input))
    return failure();
  Value result = lowering.builder.create<tpu::CumulativeOp>(
      op.getLoc(), input->getType(), machineKind(op.getKind()), *input,
      view->axis, op.getExclusive(), op.getReverse());
  lowering.define(
      op.getOutput(),
      lowering.reshaped(op.getLoc(), result, lowering.shapeOf(op.getOutput())));
  return success();
}

void weft::quantize::registerReduceLowering(LoweringTable &table) {
  table.add<top::ReduceOp>(lowerReduce);
  table.add<top::ArgReduceOp>(lowerArgReduce);
  table.add<top::CumulativeOp>(lowerCumulative);
}
