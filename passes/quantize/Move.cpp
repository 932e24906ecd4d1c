//===- Move.cpp - reshape, transpose, slice, concat, pad to tpu -----------===//

#include "dialects/top/Move.h"

#include "dialects/top/Constant.h"
#include "dialects/tpu/Gather.h"
#include "dialects/tpu/Move.h"
#include "passes/quantize/LineView.h"
#include "passes/quantize/Lowering.h"
#include "runtime/numeric/Float16.h"

#include <cstring>
#include <numeric>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// A slice that walks backwards becomes single copies up to so many; else the
/// axis is turned round by a list of row numbers.
static constexpr int64_t kMostBackwardCopies = 64;

/// What a padded tensor is put together from; each piece takes commands, too.
static constexpr int64_t kMostPadPieces = 16384;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static int64_t product(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<>());
}

static tpu::PieceAttr pieceOf(OpBuilder &builder, int64_t operand,
                              int64_t fromOffset, int64_t toOffset,
                              ArrayRef<int64_t> sizes, ArrayRef<int64_t> from,
                              ArrayRef<int64_t> to) {
  return tpu::PieceAttr::get(builder.getContext(), operand, fromOffset,
                             toOffset, sizes, from, to);
}

/// Pieces of `inputs` as the result of `op`.
static void arrange(Operation *op, Lowering &lowering, ValueRange inputs,
                    ArrayRef<Attribute> pieces, IntegerAttr fill = {}) {
  Type element = tpu::elementOf(inputs.front());
  OpBuilder &b = lowering.builder;
  Value output = op->getResult(0);
  lowering.define(output,
                  b.create<tpu::ArrangeOp>(
                      op->getLoc(),
                      lowering.tensor(lowering.shapeOf(output), element),
                      inputs, b.getArrayAttr(pieces), fill));
}

/// The one piece that takes element `start + sum i_k * steps[k]` of operand 0
/// to place i of a result of shape `shape`.
static Answer<> arrangeWhole(Operation *op, Lowering &lowering, Value input,
                             int64_t start, ArrayRef<int64_t> shape,
                             ArrayRef<int64_t> steps) {
  Attribute piece = pieceOf(lowering.builder, 0, start, 0, shape, steps,
                            tpu::rowMajorSteps(shape));
  arrange(op, lowering, input, piece);
  return Yes();
}

static Answer<> planReshape(top::ReshapeOp op, Lowering &lowering) {
  Answer<Value> input =
      lowering.value(op.getInput(), lowering.formType(op.getInput()),
                     lowering.shapeOf(op.getOutput()), op);
  if (!input)
    return input.no();
  lowering.define(op.getOutput(), *input);
  return Yes();
}

static bool isLong(int64_t size) { return size != 1; }

/// `input` in four axes, without some of size 1, and `perm` of these. Outer
/// ones stay first: a single image with rows of heads is one, not several
/// images.
static Value withoutUnits(top::TransposeOp op, Lowering &lowering, Value input,
                          SmallVector<int64_t> &perm) {
  ArrayRef<int64_t> from = shapeOf(op.getInput());
  size_t spare = from.size() - 4;
  SmallVector<int64_t> number(from.size(), -1), order, view;
  for (size_t axis = from.size(); axis-- > 0;)
    if (isLong(from[axis]) || spare == 0)
      number[axis] = 0;
    else
      --spare;
  for (auto [axis, size] : llvm::enumerate(from))
    if (number[axis] == 0) {
      number[axis] = view.size();
      view.push_back(size);
    }
  for (int64_t axis : perm)
    if (number[axis] >= 0)
      order.push_back(number[axis]);
  perm = order;
  return lowering.reshaped(op.getLoc(), input, view);
}

static Answer<> planTranspose(top::TransposeOp op, Lowering &lowering) {
  Answer<Value> input =
      lowering.value(op.getInput(), lowering.formType(op.getInput()), op);
  if (!input)
    return input.no();
  ArrayRef<int64_t> from = shapeOf(op.getInput()),
                    shape = shapeOf(op.getOutput());
  int64_t rank = shape.size();
  SmallVector<int64_t> perm(op.getPerm());
  if (rank > 4 && llvm::count_if(shape, isLong) <= 4) {
    *input = withoutUnits(op, lowering, *input, perm);
    rank = perm.size();
  }
  if (rank > 4) {
    SmallVector<int64_t> steps, inputSteps = tpu::rowMajorSteps(from);
    for (int64_t axis : perm)
      steps.push_back(inputSteps[axis]);
    return arrangeWhole(op, lowering, *input, 0, shape, steps);
  }
  SmallVector<int64_t, 4> order{0, 1, 2, 3}, result(4);
  for (auto [axis, source] : llvm::enumerate(perm))
    order[foldAxis(axis, rank)] = foldAxis(source, rank);
  for (unsigned axis = 0; axis < 4; ++axis)
    result[axis] =
        cast<RankedTensorType>(input->getType()).getDimSize(order[axis]);
  auto type = lowering.tensor(result, tpu::elementOf(*input));
  lowering.define(op.getOutput(), lowering.builder.create<tpu::PermuteOp>(
                                      op.getLoc(), type, *input, order));
  return Yes();
}

/// `input`, of shape `shape`, with the order along `axis` turned round.
static Value turned(Operation *op, Lowering &lowering, Value input,
                    ArrayRef<int64_t> shape, int64_t axis) {
  int64_t size = shape[axis];
  std::vector<int32_t> rows(size);
  for (int64_t row = 0; row < size; ++row)
    rows[row] = static_cast<int32_t>(size - 1 - row);
  SmallVector<int64_t, 4> view{1, product(shape.take_front(axis)), size,
                               product(shape.drop_front(axis + 1))};
  Value table = lowering.reshaped(op->getLoc(), input, view);
  Value list = lowering.i32Weight(op->getLoc(), {1, 1, size, 1}, rows);
  return lowering.builder.create<tpu::GatherOp>(op->getLoc(), table.getType(),
                                                table, list);
}

/// A tensor of more than 4 axes with `axis` alone on one of n,c,h,w, and n and
/// c its first two as in the standard view, if that can be: channels stay in
/// their lanes. Empty if not.
static SmallVector<int64_t, 4> viewAround(ArrayRef<int64_t> sizes,
                                          int64_t axis) {
  int64_t last = sizes.size() - 1;
  SmallVector<int64_t, 4> view{sizes[0], sizes[1], 1, 1};
  if (axis <= tpu::kAxisH)
    view = {sizes[0], sizes[1], sizes[2], product(sizes.drop_front(3))};
  else if (axis == last)
    view = foldShape(sizes);
  else
    return {};
  bool inRange =
      llvm::all_of(view, [](int64_t size) { return size <= kLargestAxis; });
  return inRange ? view : SmallVector<int64_t, 4>();
}

/// Where `viewAround` has the axis.
static int64_t placeAround(int64_t axis) {
  return axis <= tpu::kAxisH ? axis : int64_t(tpu::kAxisW);
}

/// A slice of more than 4 axes that cuts one of them, forwards; false if it is
/// another.
static bool planWideSlice(top::SliceOp op, Lowering &lowering, Value input) {
  ArrayRef<int64_t> from = shapeOf(op.getInput()), to = shapeOf(op.getOutput());
  std::optional<int64_t> cut;
  for (int64_t axis = 0, rank = from.size(); axis < rank; ++axis) {
    if (from[axis] == to[axis] && op.getSteps()[axis] == 1)
      continue;
    if (cut || op.getSteps()[axis] < 1)
      return false;
    cut = axis;
  }
  SmallVector<int64_t, 4> view =
      cut ? viewAround(from, *cut) : SmallVector<int64_t, 4>();
  if (view.empty())
    return false;
  int64_t place = placeAround(*cut);
  SmallVector<int64_t, 4> offsets(4, 0), steps(4, 1), result(view);
  offsets[place] = op.getStarts()[*cut];
  steps[place] = op.getSteps()[*cut];
  result[place] = to[*cut];
  Value slice = lowering.builder.create<tpu::SliceOp>(
      op.getLoc(), lowering.tensor(result, tpu::elementOf(input)),
      lowering.reshaped(op.getLoc(), input, view), offsets, steps);
  lowering.defineReshaped(op.getOutput(), slice, op.getLoc());
  return true;
}

static Answer<> planSlice(top::SliceOp op, Lowering &lowering) {
  Answer<Value> input =
      lowering.value(op.getInput(), lowering.formType(op.getInput()), op);
  if (!input)
    return input.no();
  ArrayRef<int64_t> inputShape = shapeOf(op.getInput()),
                    shape = shapeOf(op.getOutput());
  int64_t rank = shape.size(), backwards = 1;
  if (rank > 4 && planWideSlice(op, lowering, *input))
    return Yes();
  SmallVector<int64_t> starts(op.getStarts()), strides(op.getSteps());
  for (int64_t axis = 0; axis < rank; ++axis)
    if (strides[axis] < 0)
      backwards *= shape[axis];
  for (int64_t axis = 0; axis < rank; ++axis)
    if (strides[axis] < 0 && backwards > kMostBackwardCopies) {
      input = turned(op, lowering, *input, inputShape, axis);
      starts[axis] = inputShape[axis] - 1 - starts[axis];
      strides[axis] = -strides[axis];
    }
  bool forwards = llvm::all_of(strides, [](int64_t step) { return step > 0; });
  if (rank > 4 || !forwards) {
    SmallVector<int64_t> steps = tpu::rowMajorSteps(inputShape);
    int64_t start = 0;
    for (int64_t axis = 0; axis < rank; ++axis) {
      start += starts[axis] * steps[axis];
      steps[axis] *= strides[axis];
    }
    return arrangeWhole(op, lowering, *input, start, shape, steps);
  }
  SmallVector<int64_t, 4> offsets(4, 0), steps(4, 1);
  for (int64_t axis = 0; axis < rank; ++axis) {
    offsets[foldAxis(axis, rank)] = starts[axis];
    steps[foldAxis(axis, rank)] = strides[axis];
  }
  auto type =
      lowering.tensor(lowering.shapeOf(op.getOutput()), tpu::elementOf(*input));
  Value whole =
      lowering.reshaped(op.getLoc(), *input, lowering.shapeOf(op.getInput()));
  lowering.define(op.getOutput(),
                  lowering.builder.create<tpu::SliceOp>(op.getLoc(), type,
                                                        whole, offsets, steps));
  return Yes();
}

static Answer<> planConcat(top::ConcatOp op, Lowering &lowering) {
  OpBuilder &b = lowering.builder;
  ArrayRef<int64_t> shape = shapeOf(op.getOutput());
  int64_t rank = shape.size(), axis = op.getAxisAttr().getInt();
  // Above rank 4, if channels cannot stay: what is before and behind the axis
  // are one axis each.
  bool keepsLanes = rank > 4 && !viewAround(shape, axis).empty();
  auto viewOf = [&](Value value) -> SmallVector<int64_t, 4> {
    if (rank <= 4)
      return lowering.shapeOf(value);
    ArrayRef<int64_t> sizes = shapeOf(value);
    if (keepsLanes)
      return viewAround(sizes, axis);
    return {1, product(sizes.take_front(axis)), sizes[axis],
            product(sizes.drop_front(axis + 1))};
  };
  Type element = lowering.joinedType(op.getInputs(), op.getOutput());
  SmallVector<Value> inputs;
  for (Value input : op.getInputs()) {
    if (product(shapeOf(input)) == 0)
      continue;
    Answer<Value> form = lowering.value(input, element, viewOf(input), op);
    if (!form)
      return form.no();
    inputs.push_back(*form);
  }
  auto type = lowering.tensor(viewOf(op.getOutput()), element);
  int64_t place = rank <= 4    ? foldAxis(axis, rank)
                  : keepsLanes ? placeAround(axis)
                               : int64_t(tpu::kAxisH);
  Value joined = b.create<tpu::ConcatOp>(op.getLoc(), type, inputs,
                                         b.getI64IntegerAttr(place));
  lowering.defineReshaped(op.getOutput(), joined, op.getLoc());
  return Yes();
}

static Answer<> planExpand(top::ExpandOp op, Lowering &lowering) {
  Answer<Value> input =
      lowering.value(op.getInput(), lowering.formType(op.getInput()), op);
  if (!input)
    return input.no();
  ArrayRef<int64_t> from = shapeOf(op.getInput()), to = shapeOf(op.getOutput());
  SmallVector<int64_t> steps(to.size(), 0), own = tpu::rowMajorSteps(from);
  for (size_t i = 1; i <= from.size(); ++i)
    if (from[from.size() - i] > 1)
      steps[to.size() - i] = own[from.size() - i];
  return arrangeWhole(op, lowering, *input, 0, to, steps);
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

namespace {
/// A run of places along one axis of a padded tensor: where it begins in the
/// result and in the input, and the step in the input (1, -1, or 0: repeated).
struct PadRun {
  int64_t to, from, size, step;
};
} // namespace

/// The place in an axis of `size` values from which place `at` (0 is the first
/// value; it may be outside) takes its value.
static int64_t paddedFrom(StringRef mode, int64_t at, int64_t size) {
  if (mode == "edge" || size == 1)
    return std::clamp<int64_t>(at, 0, size - 1);
  int64_t period = mode == "wrap" ? size : 2 * (size - 1);
  int64_t place = ((at % period) + period) % period;
  return place < size ? place : period - place;
}

/// The places of an axis in as few runs as possible.
static SmallVector<PadRun> runsOf(StringRef mode, int64_t begin, int64_t size,
                                  int64_t end) {
  if (mode == "constant")
    return {{begin, 0, size, 1}};
  SmallVector<PadRun> runs;
  for (int64_t to = 0; to < begin + size + end; ++to) {
    int64_t from = paddedFrom(mode, to - begin, size);
    if (!runs.empty()) {
      PadRun &run = runs.back();
      int64_t step = from - (run.from + (run.size - 1) * run.step);
      bool joins = run.size == 1 ? step >= -1 && step <= 1 : step == run.step;
      // The input itself stays in one piece.
      bool entersInput = to == begin || to == begin + size;
      if (joins && !entersInput) {
        run.step = step;
        ++run.size;
        continue;
      }
    }
    runs.push_back({to, from, 1, 1});
  }
  return runs;
}

/// The bits of a constant of one element as `element`; none if `value` is
/// computed.
static std::optional<int64_t> constantBits(Value value, Type element,
                                           Lowering &lowering) {
  if (auto integers = lowering.integersOf(value))
    return integers->front();
  auto floats = lowering.constantOf(value);
  if (!floats)
    return std::nullopt;
  float number = floats->values[0];
  if (element.isF16())
    return numeric::floatToHalf(number);
  if (element.isBF16())
    return numeric::floatToBf16(number);
  if (!element.isF32())
    return std::nullopt;
  int32_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

/// Appends the pieces that take a tensor of shape `from`, operand 0, into one
/// that `begins` and `ends` widen to `to`: every combination of one run an
/// axis. False if there are too many.
static bool padPieces(OpBuilder &b, StringRef mode, ArrayRef<int64_t> from,
                      ArrayRef<int64_t> to, ArrayRef<int64_t> begins,
                      SmallVectorImpl<Attribute> &pieces) {
  SmallVector<int64_t> fromSteps = tpu::rowMajorSteps(from),
                       toSteps = tpu::rowMajorSteps(to);
  SmallVector<SmallVector<PadRun>> runs;
  int64_t count = 1;
  for (auto [axis, size] : llvm::enumerate(from)) {
    int64_t begin = begins[axis];
    runs.push_back(runsOf(mode, begin, size, to[axis] - begin - size));
    count *= runs.back().size();
    if (count > kMostPadPieces)
      return false;
  }
  for (int64_t number = 0; number < count; ++number) {
    SmallVector<int64_t> sizes, sourceSteps;
    int64_t rest = number, source = 0, target = 0;
    for (size_t axis = 0; axis < runs.size(); ++axis) {
      const PadRun &run = runs[axis][rest % runs[axis].size()];
      rest /= runs[axis].size();
      sizes.push_back(run.size);
      sourceSteps.push_back(run.step * fromSteps[axis]);
      source += run.from * fromSteps[axis];
      target += run.to * toSteps[axis];
    }
    pieces.push_back(
        pieceOf(b, 0, source, target, sizes, sourceSteps, toSteps));
  }
  return true;
}

/// `input` (n,c,h,w) with `axis`, h or w, made of `runs`: slices that are
/// joined in their lanes. Null if they would be many.
static Value joinRuns(OpBuilder &b, Location location, Value input,
                      unsigned axis, ArrayRef<PadRun> runs) {
  constexpr size_t kMostParts = 32;
  SmallVector<Value> parts;
  SmallVector<int64_t> shape(shapeOf(input));
  Type element = tpu::elementOf(input);
  auto slice = [&](int64_t from, int64_t size) -> Value {
    if (size == shape[axis])
      return input;
    SmallVector<int64_t, 4> offsets(4, 0), cut(shape.begin(), shape.end());
    offsets[axis] = from;
    cut[axis] = size;
    return b.create<tpu::SliceOp>(location, RankedTensorType::get(cut, element),
                                  input, offsets,
                                  SmallVector<int64_t, 4>(4, 1));
  };
  int64_t length = 0;
  size_t count = 0;
  for (const PadRun &run : runs)
    count += run.step == 1 ? 1 : run.size;
  if (count > kMostParts)
    return {};
  for (const PadRun &run : runs) {
    length += run.size;
    if (run.step == 1)
      parts.push_back(slice(run.from, run.size));
    else if (run.step == 0)
      parts.append(run.size, slice(run.from, 1));
    else
      for (int64_t i = 0; i < run.size; ++i)
        parts.push_back(slice(run.from + i * run.step, 1));
  }
  shape[axis] = length;
  return b.create<tpu::ConcatOp>(
      location, RankedTensorType::get(shape, element), parts, axis);
}

/// Modes that take their values from the input are padded one axis after the
/// other: what lies in a corner needs no commands of its own.
static Answer<> planAxisPads(top::PadOp op, Lowering &lowering, Value input) {
  OpBuilder &b = lowering.builder;
  SmallVector<int64_t> shape(shapeOf(op.getInput()));
  ArrayRef<int64_t> result = shapeOf(op.getOutput());
  // The last axis first: fewer values are moved one by one.
  for (int64_t axis = int64_t(shape.size()) - 1; axis >= 0; --axis) {
    if (shape[axis] == result[axis])
      continue;
    int64_t rank = shape.size(), begin = op.getBegins()[axis],
            folded = rank <= 4 ? foldAxis(axis, rank) : 0;
    if (folded >= tpu::kAxisH)
      if (Value joined = joinRuns(b, op.getLoc(), input, folded,
                                  runsOf(op.getMode(), begin, shape[axis],
                                         result[axis] - shape[axis] - begin))) {
        shape[axis] = result[axis];
        input = joined;
        continue;
      }
    SmallVector<int64_t> wide(shape), begins(shape.size(), 0);
    wide[axis] = result[axis];
    begins[axis] = begin;
    SmallVector<Attribute> pieces;
    if (!padPieces(b, op.getMode(), shape, wide, begins, pieces))
      return Refusal(op,
                     inWords("padding axis ", axis, " in more than ",
                             kMostPadPieces, " pieces"),
                     "pad by less than the input's size");
    shape = wide;
    input = b.create<tpu::ArrangeOp>(
        op.getLoc(), lowering.tensor(foldShape(shape), tpu::elementOf(input)),
        ValueRange(input), b.getArrayAttr(pieces), IntegerAttr());
  }
  lowering.defineReshaped(op.getOutput(), input, op.getLoc());
  return Yes();
}

/// Pads of the rows and columns of channels (top, left, bottom, right), which
/// stay in their lanes; std::nullopt if others are padded too.
static std::optional<std::array<int64_t, 4>> planePads(top::PadOp op) {
  ArrayRef<int64_t> from = shapeOf(op.getInput()), to = shapeOf(op.getOutput());
  int64_t rank = from.size();
  std::array<int64_t, 4> pads{};
  if (rank > 4 || llvm::any_of(foldShape(to), [](int64_t size) {
        return size > kLargestAxis;
      }))
    return std::nullopt;
  for (int64_t axis = 0; axis < rank; ++axis) {
    int64_t begin = op.getBegins()[axis], folded = foldAxis(axis, rank),
            end = to[axis] - from[axis] - begin;
    if (begin == 0 && end == 0)
      continue;
    if (begin < 0 || end < 0 || folded < tpu::kAxisH)
      return std::nullopt;
    pads[folded - tpu::kAxisH] = begin;
    pads[folded - tpu::kAxisH + 2] = end;
  }
  return pads;
}

/// A constant around rows and columns.
static Answer<bool> planPlanePad(top::PadOp op, Lowering &lowering) {
  auto pads = planePads(op);
  Type element = lowering.formType(op.getInput());
  std::optional<int64_t> bits;
  if (!op.getValue() || !pads || product(shapeOf(op.getInput())) == 0)
    return false;
  if (element.isIntOrFloat()) {
    bits = constantBits(op.getValue(), element, lowering);
  } else if (auto border = lowering.constantOf(op.getValue());
             border && border->values[0] == 0) { // has a code at any scale
    bits = cast<quant::UniformQuantizedType>(element).getZeroPoint();
  } else {
    element = lowering.computeType();
    bits = constantBits(op.getValue(), element, lowering);
  }
  if (!bits || !llvm::is_contained({8, 16, 32}, tpu::elementBits(element)))
    return false;
  Answer<Value> input = lowering.value(op.getInput(), element, op);
  if (!input)
    return input.no();
  lowering.define(
      op.getOutput(),
      lowering.builder.create<tpu::PadOp>(
          op.getLoc(),
          lowering.tensor(foldShape(shapeOf(op.getOutput())), element), *input,
          ArrayRef<int64_t>(*pads), *bits));
  return true;
}

static Answer<> planPad(top::PadOp op, Lowering &lowering) {
  OpBuilder &b = lowering.builder;
  if (Answer<bool> planned = planPlanePad(op, lowering); !planned)
    return planned.no();
  else if (*planned)
    return Yes();
  Type element = lowering.formType(op.getInput());
  if (!element.isIntOrFloat()) // quantized: the border needs its own scale
    element = lowering.computeType();
  ArrayRef<int64_t> from = shapeOf(op.getInput()), to = shapeOf(op.getOutput());
  if (product(from) == 0)
    return Refusal(op, "padding of a tensor without elements",
                   "use ConstantOfShape");
  Answer<Value> input = lowering.value(op.getInput(), element, op);
  if (!input)
    return input.no();
  Value value = op.getValue();
  if (!value)
    return planAxisPads(op, lowering, *input);
  SmallVector<Value> inputs{*input};
  SmallVector<Attribute> pieces;
  IntegerAttr fill;
  if (auto bits = constantBits(value, element, lowering)) {
    fill = b.getI64IntegerAttr(*bits);
  } else {
    Answer<Value> border = lowering.value(value, element, {1, 1, 1, 1}, op);
    if (!border)
      return border.no();
    inputs.push_back(*border);
    pieces.push_back(pieceOf(b, 1, 0, 0, to, SmallVector<int64_t>(to.size(), 0),
                             tpu::rowMajorSteps(to)));
  }
  // One run an axis, so one piece.
  if (!padPieces(b, op.getMode(), from, to, op.getBegins(), pieces))
    return Refusal(op, "padding in too many pieces", "pad fewer axes");
  arrange(op, lowering, inputs, pieces, fill);
  return Yes();
}

void weft::quantize::registerMoveLowering(LoweringTable &table) {
  table.add<top::ReshapeOp>(planReshape);
  table.add<top::TransposeOp>(planTranspose);
  table.add<top::SliceOp>(planSlice);
  table.add<top::ConcatOp>(planConcat);
  table.add<top::ExpandOp>(planExpand);
  table.add<top::PadOp>(planPad);
}
