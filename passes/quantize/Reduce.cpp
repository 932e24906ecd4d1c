//===- Reduce.cpp - reductions to tpu -------------------------------------===//
//
// Axes are reduced one run of neighbours at a time. Lines too long for local
// memory, or too few to keep lanes busy, are reduced in two stages: outer x
// parts lines first, then the parts.
//
//===----------------------------------------------------------------------===//

#include "dialects/top/Reduce.h"
#include "dialects/top/Binary.h"
#include "dialects/top/Exact.h"

#include "dialects/tpu/Move.h"
#include "dialects/tpu/Reduce.h"
#include "passes/quantize/LineView.h"
#include "passes/quantize/Lowering.h"
#include "runtime/chips/Chip.h"

#include <numeric>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

static std::optional<LineView> viewOf(const Around &around, const Chip &chip) {
  return lineView(around, kReduceLine, chip);
}

/// `parts` lines instead of one, each shorter.
static Around inParts(const Around &around, int64_t parts) {
  return {around.outer * parts, around.size / parts, around.inner};
}

/// In how many parts lines are best reduced first; 1: in one go.
static int64_t partsOf(const Around &around, const Chip &chip) {
  const int64_t lanes = chip.lanes; // channels fill all of them
  // A lane adds as fast as DRAM loads all of them together; parts would have to
  // be cut in DRAM, where the group ends. So only a few lines are worth it.
  constexpr int64_t kFewLines = 4;
  bool spread =
      around.inner > 1 || around.outer >= kFewLines || around.size < 4 * lanes;
  if (viewOf(around, chip) && spread)
    return 1;
  int64_t best = 1; // fewest parts that fill the lanes, else most of them
  for (int64_t parts = 2; parts <= around.size / 2; ++parts) {
    if (around.size % parts || !viewOf(inParts(around, parts), chip))
      continue;
    best = parts;
    if (around.outer * parts >= lanes)
      break;
  }
  return best;
}

/// Whether a reduction can be built at all: asked before any op is built.
static bool canReduce(const Around &around, const Chip &chip) {
  int64_t parts = partsOf(around, chip);
  if (parts == 1)
    return viewOf(around, chip).has_value();
  return canReduce({around.outer, parts, around.inner}, chip);
}

/// Lines along n, whose pieces for a lane are a few bytes each: every one of
/// them would be loaded as a run of its own.
static bool hasShortRuns(const Around &around, const LineView &view,
                         Type element) {
  constexpr int64_t kShortBytes = 64, kFewElements = 4096;
  return view.axis == tpu::kAxisN &&
         view.shape[tpu::kAxisW] * element.getIntOrFloatBitWidth() / 8 <
             kShortBytes &&
         around.size * around.inner >= kFewElements &&
         around.inner <= kLargestAxis;
}

/// `value`, lines along its first axis, with the lines along h instead: turned
/// by way of the lanes, in long runs.
static Value turnLines(Lowering &lowering, Location loc, Value value,
                       const Around &around) {
  Value rows = lowering.reshaped(loc, value, {1, around.size, around.inner, 1});
  return lowering.permuted(loc, rows, {0, 2, 1, 3});
}

static Value reduceView(Lowering &lowering, Location loc, tpu::ReduceKind kind,
                        Value value, const LineView &view) {
  SmallVector<int64_t, 4> shape = view.shape;
  shape[view.axis] = 1;
  return lowering.builder.create<tpu::ReduceOp>(
      loc, lowering.tensor(shape, tpu::elementOf(value)), kind,
      lowering.reshaped(loc, value, view.shape), view.axis);
}

static Value reduceLines(Lowering &lowering, Location loc, tpu::ReduceKind kind,
                         Value value, const Around &around,
                         std::optional<LineView> preferred = std::nullopt) {
  Type element = tpu::elementOf(value);
  int64_t parts = partsOf(around, lowering.chip());
  if (parts > 1) {
    value = reduceLines(lowering, loc, kind, value, inParts(around, parts));
    return reduceLines(lowering, loc, kind, value,
                       {around.outer, parts, around.inner});
  }
  LineView view = preferred ? *preferred : *viewOf(around, lowering.chip());
  if (hasShortRuns(around, view, element)) {
    value = turnLines(lowering, loc, value, around);
    view = {{1, around.inner, around.size, 1}, tpu::kAxisH};
  }
  return reduceView(lowering, loc, kind, value, view);
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
  if (mlir::isa<IntegerType>(element))
    return storedElement(element);
  return adds ? lowering.f32() : lowering.elementwiseType(input);
}

static tpu::ReduceKind machineKind(top::ReduceKind kind) {
  return *tpu::symbolizeReduceKind(top::stringifyReduceKind(kind));
}

/// The views in which steps reduce all axes behind the channels of `shape`,
/// with the channels in their lanes: at once, or of planes too long for a lane,
/// columns first and then rows. Empty if other axes are reduced, or if lanes
/// that stay idle cost more.
static SmallVector<LineView, 2>
planeViews(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes, const Chip &chip) {
  int64_t rank = shape.size();
  bool reducesPlanes = rank >= 4 && int64_t(axes.size()) == rank - 2 &&
                       axes.front() == 2 && axes.back() == rank - 1;
  if (!reducesPlanes || llvm::is_contained(shape, 0))
    return {};
  auto stepOf = [&](ArrayRef<int64_t> view) -> std::optional<LineView> {
    auto lines = lineViewOf(view, view.size() - 1, kReduceLine, chip);
    bool keepsLanes = lines && lines->shape[tpu::kAxisN] == shape[0] &&
                      lines->shape[tpu::kAxisC] == shape[1];
    return keepsLanes ? lines : std::nullopt;
  };
  int64_t columns = 1;
  for (int64_t size : shape.drop_front(2))
    columns *= size;
  if (auto whole = stepOf({shape[0], shape[1], columns}))
    return {*whole};
  if (rank != 4)
    return {};
  auto first = stepOf(shape), second = stepOf(shape.drop_back());
  if (!first || !second)
    return {};
  return {*first, *second};
}

/// Whether `op` adds up the channels of each pixel, which the cube does where
/// they lie. Of a few pixels the turned lines are as short; an image that is
/// loaded for this alone is loaded in lines.
static bool addsChannels(top::ReduceOp op, Lowering &lowering) {
  constexpr int64_t kFewPixels = 16;
  if (!op.getInput().getDefiningOp() && op.getInput().hasOneUse())
    return false;
  auto type = cast<RankedTensorType>(op.getInput().getType());
  return op.getKind() == top::ReduceKind::Sum && type.getRank() == 4 &&
         op.getAxes() == ArrayRef<int64_t>{tpu::kAxisC} &&
         type.getDimSize(tpu::kAxisC) > 1 &&
         type.getDimSize(tpu::kAxisC) <= kLargestAxis &&
         type.getDimSize(tpu::kAxisH) * type.getDimSize(tpu::kAxisW) >=
             kFewPixels &&
         lowering.choices.hasMatrixUnit;
}

/// Whether all of `value` are squares: nothing cancels where they are added.
static bool isSquared(Value value) {
  auto product = value.getDefiningOp<top::BinaryOp>();
  return product && product.getKind() == top::BinaryKind::Mul &&
         product.getLhs() == product.getRhs();
}

/// What is stored in 16 bits is added as it is, squares in as many digits as
/// the precision asks for: each of one term may err by 2^-9, so their sum does
/// by less, and codes have 8 bits. Other numbers of f32 may be whole ones, or
/// cancel.
static Answer<> planChannelSum(top::ReduceOp op, Lowering &lowering) {
  // Of fewer channels f32 takes as long: the cube adds 32 of 16 bits at a time,
  // and terms are four casts.
  constexpr int64_t kFewChannels = 4, kFewForTerms = 16;
  int64_t channels =
      cast<RankedTensorType>(op.getInput().getType()).getDimSize(tpu::kAxisC);
  bool needsDigits = lowering.precisionOf(op) == Precision::F32 ||
                     op->hasAttr(top::kExactAttr) ||
                     lowering.wideSteps.digits.contains(op);
  Value form = lowering.firstForm(op.getInput());
  Type element = lowering.f32();
  if (form && !tpu::elementOf(form).isF32() && !needsDigits &&
      channels >= kFewChannels)
    element = tpu::elementOf(form).isBF16()
                  ? tpu::elementOf(form)
                  : Type(lowering.builder.getF16Type());
  // A sum that f16 would not hold is one of f32 in any case.
  IntegerAttr terms;
  if (element.isF32() && !needsDigits && isSquared(op.getInput()) &&
      channels >= kFewForTerms)
    terms = lowering.builder.getI64IntegerAttr(
        lowering.precisionOf(op) == Precision::I8 ? 1 : 2);
  Answer<Value> input = lowering.value(op.getInput(), element, op);
  if (!input)
    return input.no();
  tpu::Dims dims = tpu::dimsOf(*input);
  SmallVector<int64_t, 4> shape(dims.begin(), dims.end());
  shape[tpu::kAxisC] = 1;
  Value sum = lowering.builder.create<tpu::ChannelSumOp>(
      op.getLoc(), lowering.tensor(shape, lowering.f32()), *input, terms);
  lowering.defineReshaped(op.getOutput(), sum, op.getLoc());
  return Yes();
}

static Answer<> planReduce(top::ReduceOp op, Lowering &lowering) {
  if (llvm::isa<FloatType>(topElement(op.getInput())) &&
      addsChannels(op, lowering))
    return planChannelSum(op, lowering);
  bool adds = op.getKind() == top::ReduceKind::Sum ||
              op.getKind() == top::ReduceKind::Prod;
  Type element = reducedType(lowering, op.getInput(), adds);
  auto shape = cast<RankedTensorType>(op.getInput().getType()).getShape();
  SmallVector<AxisRun> runs = axisRuns(shape, op.getAxes());
  // From the last run to the first, so that what is behind is small already.
  SmallVector<Around> steps;
  for (size_t i = runs.size(); i-- > 0;) {
    if (!runs[i].reduced)
      continue;
    Around step{sizeOf(ArrayRef(runs).take_front(i)), runs[i].size,
                sizeOf(ArrayRef(runs).drop_front(i + 1))};
    if (!canReduce(step, lowering.chip()))
      return Refusal(op,
                     inWords("a reduction of ", step.size,
                             " values that have no factors to cut them by"),
                     "pad the axis to a round size");
    steps.push_back(step);
    runs[i].size = 1;
  }
  Answer<Value> input = lowering.value(op.getInput(), element, op);
  if (!input)
    return input.no();
  Value value = *input;
  auto planes = planeViews(shape, op.getAxes(), lowering.chip());
  if (!planes.empty()) {
    for (const LineView &view : planes)
      value = reduceView(lowering, op.getLoc(), machineKind(op.getKind()),
                         value, view);
    lowering.defineReshaped(op.getOutput(), value, op.getLoc());
    return Yes();
  }
  std::optional<LineView> standard;
  if (op.getAxes().size() == 1)
    standard = lineViewOf(shape, op.getAxes()[0], kReduceLine, lowering.chip());
  for (const Around &step : steps)
    value = reduceLines(lowering, op.getLoc(), machineKind(op.getKind()), value,
                        step, standard);
  lowering.defineReshaped(op.getOutput(), value, op.getLoc());
  return Yes();
}

static Answer<> planArgReduce(top::ArgReduceOp op, Lowering &lowering) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Type stored = reducedType(lowering, op.getInput(), /*adds=*/false);
  auto integer = dyn_cast<IntegerType>(stored);
  if (integer && integer.getWidth() == 32 && integer.isUnsigned())
    return Refusal(op, "the index of an extreme of unsigned 32-bit numbers",
                   "cast them to int32");
  // Integers up to 16 bits are exact in f32.
  Type element = integer && integer.getWidth() == 32
                     ? Type(lowering.builder.getI32Type())
                     : Type(lowering.f32());
  int64_t axis = op.getAxisAttr().getInt(), size = type.getDimSize(axis);
  std::optional<LineForm> form =
      lineFormOf(op.getInput(), axis, kArgReduceLine, lowering.chip());
  if (!form)
    return Refusal(op, inWords("the index of an extreme of ", size, " values"),
                   "pad the axis to a round size");
  Answer<Value> input =
      linesOf(op, op.getInput(), axis, *form, element, lowering);
  if (!input)
    return input.no();
  const LineView &view = form->view;
  SmallVector<int64_t, 4> codeShape{1, 1, 1, 1}, shape = view.shape;
  codeShape[view.axis] = shape[view.axis];
  std::vector<int32_t> codes(shape[view.axis]);
  shape[view.axis] = 1;
  if (form->overLanes)
    shape[tpu::kAxisC] = 1;
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
      machineKind(op.getKind()), *input, weight, view.axis, op.getLast(),
      form->overLanes);
  lowering.defineReshaped(op.getOutput(), result, op.getLoc());
  return Yes();
}

static Answer<> planCumulative(top::CumulativeOp op, Lowering &lowering) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Type element = reducedType(lowering, op.getInput(), /*adds=*/true);
  if (element.getIntOrFloatBitWidth() != 32)
    return Refusal(op, inWords("running values of ", element),
                   "cast them to int32 or float");
  int64_t axis = op.getAxisAttr().getInt();
  std::optional<LineView> view =
      lineViewOf(type.getShape(), axis, kCumulativeLine, lowering.chip());
  if (!view)
    return Refusal(
        op, inWords("running values along an axis of ", type.getDimSize(axis)),
        "cut the axis and add the sums of the parts");
  Answer<Value> input = lowering.value(op.getInput(), element, view->shape, op);
  if (!input)
    return input.no();
  Value result = lowering.builder.create<tpu::CumulativeOp>(
      op.getLoc(), input->getType(), machineKind(op.getKind()), *input,
      view->axis, op.getExclusive(), op.getReverse());
  lowering.defineReshaped(op.getOutput(), result, op.getLoc());
  return Yes();
}

void weft::quantize::registerReduceLowering(LoweringTable &table) {
  table.add<top::ReduceOp>(planReduce);
  table.add<top::ArgReduceOp>(planArgReduce);
  table.add<top::CumulativeOp>(planCumulative);
}
