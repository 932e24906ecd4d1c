//===- Conv.cpp - convolutions and constant matrix products to tpu --------===//
//
// INT8: the filter is quantized per output channel, Sw = max|w| / 127, so the
// accumulator counts in steps of Sw * Sx. Where only other 8-bit products read
// the result it is requantized in one pass (rq0, of a depthwise one rq1);
// otherwise the accumulator
// leaves as a float, exactly scaled per channel, and activations, gates and
// residual sums see no second rounding to 8 bits
// (docs/rationale/0002-quantization.md).
//===----------------------------------------------------------------------===//

#include "dialects/top/Conv.h"

#include "dialects/top/Exact.h"
#include "dialects/top/Quantization.h"
#include "dialects/top/Unary.h"
#include "dialects/tpu/Cast.h"
#include "dialects/tpu/Conv.h"
#include "dialects/tpu/MatMul.h"
#include "dialects/tpu/Move.h"
#include "dialects/tpu/Reduce.h"
#include "dialects/tpu/Softmax.h"
#include "passes/quantize/CodedProduct.h"
#include "passes/quantize/Elements.h"
#include "passes/quantize/InputFactors.h"
#include "passes/quantize/IntegerProducts.h"
#include "passes/quantize/LineView.h"
#include "passes/quantize/Lowering.h"
#include "passes/quantize/NamedSource.h"
#include "passes/quantize/QuantScale.h"
#include "passes/quantize/WideProducts.h"
#include "runtime/chips/Chip.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// Quantizes `filter` per output channel. `floors[oc]` is the smallest scale
/// that a channel may have: it keeps bias and multiplier in range where a
/// channel's weights are all but zero, and costs nothing there.
static QuantFilter quantizeFilter(const FloatConstant &filter,
                                  ArrayRef<double> floors) {
  QuantFilter quant;
  size_t channels = filter.shape[0], size = filter.values.size() / channels;
  quant.values.resize(filter.values.size());
  PagesBehind read = filter.values.pagesBehind();
  for (size_t oc = 0; oc < channels; ++oc) {
    read.reach(oc * size * sizeof(float));
    size_t first = oc * size;
    double largest = 0;
    for (size_t i = 0; i < size; ++i)
      largest = std::max(
          largest, std::fabs(static_cast<double>(filter.values[first + i])));
    double scale = std::max({largest / kSignedLevels, floors[oc], 1e-30});
    quant.scales.push_back(scale);
    for (size_t i = 0; i < size; ++i)
      quant.values[first + i] =
          static_cast<int8_t>(std::lround(filter.values[first + i] / scale));
  }
  return quant;
}

/// `value`, which is the input in any view, as the product reads it.
static Value inputOf(Lowering &lowering, const Product &p, Value value) {
  if (p.turnedRows == 0)
    return lowering.reshaped(p.location, value, p.inputShape);
  int64_t inner = p.inputShape[1];
  Location location = p.op->getLoc();
  if (p.hasRowsInLanes)
    return lowering.reshaped(location, value, p.rowsInLanes(inner));
  if (cast<RankedTensorType>(value.getType()).getShape() ==
      ArrayRef<int64_t>{p.turnedRows, inner, 1, 1})
    return lowering.permuted(location, value, {2, 1, 0, 3});
  Value rows = lowering.reshaped(location, value, {1, p.turnedRows, 1, inner});
  return lowering.permuted(location, rows, {0, 3, 1, 2});
}

/// What the product gave, in the standard view of its output as far as that is
/// one of rows.
static Value outputOf(Lowering &lowering, const Product &p, Value conv) {
  if (p.turnedRows == 0)
    return conv;
  bool isMatrix = lowering.shapeOf(p.output)[0] == p.turnedRows;
  return lowering.permuted(p.location, conv,
                           isMatrix ? ArrayRef<int64_t>{2, 1, 0, 3}
                                    : ArrayRef<int64_t>{0, 2, 3, 1});
}

static Value createConv(Lowering &lowering, const Product &p, Type element,
                        Value input, Value filter, Value bias,
                        DenseI32ArrayAttr multipliers,
                        DenseI32ArrayAttr rshifts, DenseF32ArrayAttr scales,
                        ArrayRef<int32_t> filterZeroPoints = {},
                        bool hasNarrowSums = false) {
  OpBuilder &b = lowering.builder;
  bool isExact = p.isExact && p.group == 1 && tpu::elementOf(filter).isF32();
  Value conv = b.create<tpu::ConvOp>(
      p.location, lowering.tensor(p.outputShape, element), input, filter, bias,
      b.getDenseI64ArrayAttr(p.strides), b.getDenseI64ArrayAttr(p.pads),
      b.getDenseI64ArrayAttr(p.dilations), b.getI64IntegerAttr(p.group),
      /*interleaved=*/UnitAttr(), p.relu ? b.getUnitAttr() : UnitAttr(),
      hasNarrowSums ? b.getUnitAttr() : UnitAttr(),
      isExact ? b.getUnitAttr() : UnitAttr(), multipliers, rshifts, scales,
      filterZeroPoints.empty() ? DenseI32ArrayAttr()
                               : b.getDenseI32ArrayAttr(filterZeroPoints),
      tpu::RoundingAttr::get(b.getContext(), tpu::Rounding::HalfUp));
  return outputOf(lowering, p, conv);
}

/// One filter a channel, which the machine has an own unit for.
static bool isDepthwise(const Product &p) {
  return p.group > 1 && p.group == p.inputShape[1] &&
         p.group == p.filter.shape[0];
}

/// Element type in which a float product reads its input and its filter. f32 in
/// a 16-bit program where 16 bits save little: products with few weights and
/// few products, and small depthwise ones, whose unit rounds every partial sum
/// (in bf16 all of them). Rounded weights are the largest error of a 16-bit
/// program, and a small filter's is as large as a big one's
/// (docs/rationale/0002-quantization.md).
static Type productType(const Product &p, Lowering &lowering) {
  if (p.hasRowsInLanes)
    return lowering.computeType();
  int64_t weights = p.filter.values.size();
  int64_t pixels = p.outputShape[0] * p.outputShape[2] * p.outputShape[3];
  bool isWide =
      isDepthwise(p)
          ? weights * pixels <= lowering.choices.wideDepthwise ||
                lowering.computeType().isBF16()
          : lowering.choices.keepsWide(
                weights, laneProducts(pixels, weights, p.filter.shape[0],
                                      lowering.chip().lanes));
  return isWide ? lowering.f32() : lowering.computeType();
}

static Value createLinear(Lowering &lowering, const Product &p, Type element,
                          Value input, Value filter, Value bias,
                          DenseF32ArrayAttr scales) {
  OpBuilder &b = lowering.builder;
  return b.create<tpu::LinearOp>(
      p.location, lowering.tensor(p.rowsInLanes(p.filter.shape[0]), element),
      input, filter, bias, p.relu ? b.getUnitAttr() : UnitAttr(), scales);
}

/// An expectation where the softmax has its result: the numbers lie on images,
/// so the factors are one an image, and what is added up is all in one lane.
/// Null if it lies otherwise.
static Value planExpectation(Product &p, Lowering &lowering) {
  auto conv = dyn_cast<top::ConvOp>(p.op);
  if (!conv || !isExpectation(conv))
    return {};
  Value form = lowering.firstForm(p.input);
  auto softmax = form ? form.getDefiningOp<tpu::SoftmaxOp>() : tpu::SoftmaxOp();
  int64_t count = p.filter.shape[1];
  if (!softmax || softmax.getAxis() != int64_t(tpu::kAxisN) ||
      tpu::dimsOf(form)[tpu::kAxisN] != count)
    return {};
  tpu::Dims dims = tpu::dimsOf(form);
  SmallVector<int64_t, 4> shape(dims.begin(), dims.end());
  int64_t lanes = shape[tpu::kAxisC];
  std::vector<float> numbers;
  for (size_t i = 0; i < p.filter.values.size(); ++i)
    numbers.insert(numbers.end(), lanes, p.filter.values[i]);
  Answer<Value> factors = lowering.floatWeight(p.location, {count, lanes, 1, 1},
                                               lowering.f32(), numbers);
  if (!factors)
    return {};
  Elements e(lowering, p.location);
  Value terms =
      e.binary(tpu::BinaryKind::Mul, e.cast(form, lowering.f32()), *factors);
  shape[tpu::kAxisN] = 1;
  Value sum = lowering.builder.create<tpu::ReduceOp>(
      p.location, lowering.tensor(shape, lowering.f32()), tpu::ReduceKind::Sum,
      terms, int64_t(tpu::kAxisN));
  if (!p.bias.empty())
    sum = e.binary(tpu::BinaryKind::Add, sum, double(p.bias.front()));
  return p.relu ? e.binary(tpu::BinaryKind::Max, sum, 0.0) : sum;
}

static Answer<> planFloat(Product &p, Lowering &lowering) {
  if (Value sum = planExpectation(p, lowering)) {
    lowering.defineReshaped(p.output, sum, p.location);
    return Yes();
  }
  int64_t biasShape[] = {1, p.filter.shape[0], 1, 1};
  Type element = productType(p, lowering);
  Value input = inputOf(lowering, p, lowering.inFloat(p.input, element));
  bool hasNarrowSums = isDepthwise(p) && !element.isF32();
  Type result = element.isF32() || hasNarrowSums
                    ? element
                    : lowering.floatResultType(p.output);
  if (element.isF16() && !hasNarrowSums)
    if (Value coded = codedProduct(p, result, input, lowering)) {
      lowering.codedProducts.insert(p.op);
      lowering.define(p.output,
                      p.hasRowsInLanes ? coded : outputOf(lowering, p, coded));
      return Yes();
    }
  if (p.needsCodes)
    return Refusal(p.op, "a matrix beyond local memory", "");
  Value bias;
  if (!p.bias.empty()) {
    Answer<Value> numbers =
        lowering.floatWeight(p.location, biasShape,
                             hasNarrowSums ? element : lowering.f32(), p.bias);
    if (!numbers)
      return numbers.no();
    bias = *numbers;
  }
  Answer<Value> filter = lowering.floatWeight(p.location, p.filter.shape,
                                              element, p.filter.values);
  if (!filter)
    return filter.no();
  lowering.define(
      p.output,
      p.hasRowsInLanes
          ? createLinear(lowering, p, result, input, *filter, bias, {})
          : createConv(lowering, p, result, input, *filter, bias, {}, {}, {},
                       {}, hasNarrowSums));
  return Yes();
}

/// What the zero point of the input adds to each accumulator, outside of the
/// image too: all of it, times the sum of the filter; empty without one. At
/// most 2^31 * 128 / 255 in size (`planInt8` bounds the terms).
static std::vector<int64_t> zeroPointSums(const QuantFilter &filter,
                                          Value input) {
  int64_t zeroPoint = tpu::zeroPointOf(tpu::elementOf(input));
  if (zeroPoint == 0)
    return {};
  size_t channels = filter.scales.size(),
         size = filter.values.size() / channels;
  std::vector<int64_t> sums(channels, 0);
  for (size_t i = 0; i < filter.values.size(); ++i)
    sums[i / size] +=
        zeroPoint *
        (filter.values[i] -
         (filter.zeroPoints.empty() ? 0 : filter.zeroPoints[i / size]));
  return sums;
}

/// Whether weights of the calibration table have the shape of those of `p`.
static bool areOfShape(const RecoveredProduct &found, const Product &p) {
  return found.channels() == p.filter.shape[0] &&
         found.codes.size() == p.filter.values.size();
}

/// The weights that the calibration table has for the codes of `input`, with
/// their shifts in the bias of `p`; std::nullopt if there are none.
static std::optional<QuantFilter> recoveredFilter(Product &p, Value input,
                                                  Lowering &lowering) {
  const RecoveredProduct *found =
      lowering.recoveredOf(productName(p.op), tpu::elementOf(input));
  if (!found || !areOfShape(*found, p))
    return std::nullopt;
  if (llvm::any_of(found->shifts, [](float shift) { return shift != 0; }))
    p.bias.resize(found->channels());
  for (size_t oc = 0; oc < p.bias.size(); ++oc)
    p.bias[oc] += found->shifts[oc];
  return QuantFilter{
      found->codes, {found->scales.begin(), found->scales.end()}, {}};
}

/// Refuses a table that was made for other weights of `p`: its codes would
/// take the place of the model's.
static LogicalResult checkRecovered(const Product &p, Lowering &lowering) {
  const RecoveredProduct *found = lowering.recoveredNamed(productName(p.op));
  if (!found || !areOfShape(*found, p) ||
      found->weightSums.isLike(WeightSums::of(p.filter.values.vector())))
    return success();
  return emitError(p.location)
         << "the calibration table has weights of '" << productName(p.op)
         << "' that were made of other weights than the model's; calibrate "
            "this model again";
}

/// Gives channels whose scale is below its floor that scale.
static void raiseScales(QuantFilter &filter, ArrayRef<double> floors) {
  size_t terms = filter.values.size() / filter.scales.size();
  for (size_t oc = 0; oc < floors.size(); ++oc) {
    if (filter.scales[oc] >= floors[oc])
      continue;
    double ratio = filter.scales[oc] / floors[oc];
    for (size_t i = oc * terms; i < (oc + 1) * terms; ++i)
      filter.values[i] =
          static_cast<int8_t>(std::nearbyint(filter.values[i] * ratio));
    filter.scales[oc] = floors[oc];
  }
}

/// Accumulator -> float or !quant, scaled and shifted per channel by floats.
static Answer<> planScaled(Product &p, Value input, QuantFilter filter,
                           Type element, Lowering &lowering) {
  size_t channels = p.filter.shape[0];
  std::vector<int64_t> added = zeroPointSums(filter, input);
  double inputScale = tpu::scaleOf(tpu::elementOf(input)),
         outputScale = tpu::scaleOf(element);
  auto zeroPoint = static_cast<double>(tpu::zeroPointOf(element));
  bool hasBias = !p.bias.empty() || !added.empty() || zeroPoint != 0;
  std::vector<float> scales, bias;
  for (size_t oc = 0; oc < channels; ++oc) {
    scales.push_back(
        static_cast<float>(filter.scales[oc] * inputScale / outputScale));
    double value = p.bias.empty() ? 0 : p.bias[oc] / outputScale;
    if (!added.empty()) // by the scale that the accumulator meets
      value -= static_cast<double>(added[oc]) * scales[oc];
    if (hasBias)
      bias.push_back(static_cast<float>(value + zeroPoint));
  }
  int64_t biasShape[] = {1, p.filter.shape[0], 1, 1};
  Value filterValue =
      lowering.i8Weight(p.location, p.filter.shape, std::move(filter.values));
  Value biasValue;
  if (hasBias)
    biasValue =
        *lowering.floatWeight(p.location, biasShape, lowering.f32(), bias);
  DenseF32ArrayAttr attribute = lowering.builder.getDenseF32ArrayAttr(scales);
  lowering.define(p.output,
                  p.hasRowsInLanes
                      ? createLinear(lowering, p, element, input, filterValue,
                                     biasValue, attribute)
                      : createConv(lowering, p, element, input, filterValue,
                                   biasValue, {}, {}, attribute,
                                   filter.zeroPoints));
  return Yes();
}

/// Accumulator -> !quant by multipliers and shifts, bias in accumulator steps.
static Answer<> planFixedPoint(Product &p, Value input, Type element,
                               std::optional<QuantFilter> recovered,
                               Lowering &lowering) {
  size_t channels = p.filter.shape[0];
  double inputScale = tpu::scaleOf(tpu::elementOf(input)),
         outputScale = tpu::scaleOf(element);
  // Twice what splitScale() takes, so that rounding does not matter.
  std::vector<double> floors(channels, outputScale / inputScale * 0x1p-31);
  // At most 2^29 steps of bias, so that a zero point has room in 32 bits.
  for (size_t oc = 0; oc < p.bias.size(); ++oc)
    floors[oc] =
        std::max(floors[oc], std::fabs(p.bias[oc]) / inputScale * 0x1p-29);
  if (recovered) // its shifts are in the bias already
    raiseScales(*recovered, floors);
  QuantFilter filter =
      recovered ? *std::move(recovered) : quantizeFilter(p.filter, floors);
  std::vector<int64_t> added = zeroPointSums(filter, input);
  std::vector<int32_t> multipliers, rshifts, bias;
  for (size_t oc = 0; oc < channels; ++oc) {
    std::optional<QuantScale> scale =
        splitScale(filter.scales[oc] * inputScale / outputScale);
    // The result is so far below its terms (it reads tiny channels among large
    // ones) that no shift leads to its steps; as a float it has them.
    if (!scale)
      return planScaled(p, input, std::move(filter),
                        lowering.floatResultType(p.output), lowering);
    multipliers.push_back(scale->multiplier);
    rshifts.push_back(scale->rshift);
    if (p.bias.empty() && added.empty())
      continue;
    int64_t steps =
        p.bias.empty()
            ? 0
            : std::llround(p.bias[oc] / (filter.scales[oc] * inputScale));
    bias.push_back(
        static_cast<int32_t>(added.empty() ? steps : steps - added[oc]));
  }
  OpBuilder &b = lowering.builder;
  int64_t biasShape[] = {1, p.filter.shape[0], 1, 1};
  Value filterValue =
      lowering.i8Weight(p.location, p.filter.shape, std::move(filter.values));
  Value biasValue =
      bias.empty() ? Value() : lowering.i32Weight(p.location, biasShape, bias);
  lowering.define(p.output,
                  createConv(lowering, p, element, input, filterValue,
                             biasValue, b.getDenseI32ArrayAttr(multipliers),
                             b.getDenseI32ArrayAttr(rshifts), {}));
  return Yes();
}

/// Products in a sum.
static int64_t termsOf(const Product &p) {
  return p.filter.values.size() / p.filter.shape[0];
}

/// Whether 32 bits hold every sum of 8-bit products; a graph's own weights may
/// be -128.
static bool sumsFit(const Product &p) {
  return termsOf(p) <= INT32_MAX / ((kSignedLevels + 1) * kUnsignedLevels) - 1;
}

static Answer<> planInt8(Product &p, Lowering &lowering) {
  // Steps inside a composed ONNX operator have no calibrated range.
  if (!hasCalibratedName(p.input))
    return planFloat(p, lowering);
  if (!sumsFit(p))
    return Refusal(
        p.op,
        inWords("a sum of ", termsOf(p), " 8-bit products can leave 32 bits"),
        "convert with --precision f16");
  if (failed(checkRecovered(p, lowering)))
    return failure();
  const RecoveredProduct *factored = lowering.factoredProduct(p.op);
  Answer<Value> input = factored ? lowering.inFactoredQuant(p.op, *factored)
                                 : lowering.inQuant(p.input, p.op);
  if (!input)
    return input.no();
  if (factored)
    p.filter.values = FloatValues(dividedFilter(
        p.filter.values.vector(), termsOf(p), factored->inputFactors));
  Value folded = inputOf(lowering, p, *input);
  Type element = lowering.wantedType(p.output);
  bool isSigned = element && !tpu::isClippedAtZero(element);
  // A table edited by hand: the unsigned range clips.
  if (p.relu && isSigned && element == lowering.calibratedType(p.output))
    return emitError(p.location)
           << "the calibration table gives '" << valueName(p.output)
           << "' a negative minimum, but it comes from a relu; calibrate this "
              "model again";
  if (!element || (p.relu && isSigned))
    element = lowering.floatResultType(p.output);
  std::optional<QuantFilter> recovered = recoveredFilter(p, *input, lowering);
  // The depthwise unit adds integers for nothing; the matrix unit does not, so
  // that a float in the same pass as the scale saves one.
  if (!mlir::isa<FloatType>(element) && isDepthwise(p) && !p.hasRowsInLanes)
    return planFixedPoint(p, folded, element, std::move(recovered), lowering);
  std::vector<double> floors(p.filter.shape[0], 0);
  return planScaled(p, folded,
                    recovered ? *std::move(recovered)
                              : quantizeFilter(p.filter, floors),
                    element, lowering);
}

/// A product of integers, and of numbers that the graph itself made of them:
/// their sums, times a scale, as f32. Exact but for that factor.
static Answer<> planIntegers(Product &p, Value codes, QuantFilter filter,
                             Lowering &lowering) {
  if (!filter.zeroPoints.empty())
    p.hasRowsInLanes = false; // MM2 takes none away from the right matrix
  return planScaled(p, inputOf(lowering, p, codes), std::move(filter),
                    lowering.f32(), lowering);
}

//===----------------------------------------------------------------------===//
// From codes to codes
//===----------------------------------------------------------------------===//

namespace {
/// How sums of products become the codes that the graph keeps: rint(f32(sum +
/// bias) * factor) + zero point, of each channel. This is what ONNX Runtime
/// computes, to the last bit.
struct Requantized {
  const top::Quantization *quantization;
  std::vector<float> factors;
  std::vector<int32_t> bias; ///< with what the zero point of the input adds
};
} // namespace

/// Bias `value` in steps of `step`; std::nullopt if it is no whole number of
/// them. Both were rounded to f32 once or twice.
static std::optional<int64_t> biasSteps(double value, double step) {
  constexpr double kRounded = 0x1p-21, kMostSteps = 1 << 29;
  double steps = std::nearbyint(value / step);
  bool isWhole = std::fabs(steps * step - value) <= std::fabs(value) * kRounded;
  return isWhole && std::fabs(steps) <= kMostSteps
             ? std::optional<int64_t>(static_cast<int64_t>(steps))
             : std::nullopt;
}

/// The one quantization that reads the product, in terms of its sums;
/// std::nullopt if there is none, or if it is none of sums of integers.
static std::optional<Requantized>
requantizedOf(const Product &p, const IntegerValue &from,
              const QuantFilter &filter, Value input, Lowering &lowering) {
  const top::Quantization *found = lowering.quantizationReading(p.output);
  if (!found || p.hasRowsInLanes)
    return std::nullopt;
  size_t channels = filter.scales.size();
  Type element = topElement(found->integers());
  bool isChannels = found->scale.size() == channels &&
                    (p.turnedRows == 0 ||
                     cast<RankedTensorType>(p.output.getType()).getRank() == 2);
  bool isCutByRange =
      !p.relu || found->zeroPoint == top::codeRangeOf(element)->first;
  if (!element.isInteger(8) || (!found->isScalar() && !isChannels) ||
      !isCutByRange)
    return std::nullopt;
  Requantized made{found, {}, {}};
  std::vector<int64_t> added = zeroPointSums(filter, input);
  for (size_t oc = 0; oc < channels; ++oc) {
    float step = static_cast<float>(from.scale) *
                 static_cast<float>(filter.scales[oc]),
          scale = found->scale[found->isScalar() ? 0 : oc];
    made.factors.push_back(found->multiplies ? step * scale : step / scale);
    auto steps = biasSteps(p.bias.empty() ? 0 : p.bias[oc], step);
    if (!steps || !std::isfinite(made.factors.back()))
      return std::nullopt;
    int64_t sum = *steps - (added.empty() ? 0 : added[oc]);
    if (sum != static_cast<int32_t>(sum))
      return std::nullopt;
    made.bias.push_back(static_cast<int32_t>(sum));
  }
  return made;
}

static void planRequantized(Product &p, Value input, QuantFilter filter,
                            const Requantized &made, Lowering &lowering) {
  const top::Quantization &to = *made.quantization;
  auto type = cast<IntegerType>(storedElement(topElement(to.integers())));
  // A quantized operator says the scale of its result only to who reads it.
  Type element = tpu::quantElement(lowering.builder.getContext(),
                                   to.multiplies ? 1.0 : to.scale.front(),
                                   !type.isUnsigned(), to.zeroPoint);
  int64_t biasShape[] = {1, p.filter.shape[0], 1, 1};
  Value weights =
      lowering.i8Weight(p.location, p.filter.shape, std::move(filter.values));
  Value bias = lowering.i32Weight(p.location, biasShape, made.bias);
  p.relu = false; // the range of the result ends where it does
  Value codes = createConv(lowering, p, element, input, weights, bias, {}, {},
                           lowering.builder.getDenseF32ArrayAttr(made.factors),
                           filter.zeroPoints);
  for (Operation *step : to.steps)
    lowering.markTaken(step);
  p.output = to.integers();
  lowering.define(p.output, lowering.bits(codes, type));
}

//===----------------------------------------------------------------------===//
// Which plan
//===----------------------------------------------------------------------===//

/// The plan as a product of integers, if it is one.
static std::optional<Answer<>> planAsIntegers(Product &p, Lowering &lowering) {
  if (!lowering.choices.hasZeroPoints || !sumsFit(p))
    return std::nullopt;
  std::optional<IntegerValue> from = integersBehind(p.input, lowering);
  if (!from)
    return std::nullopt;
  std::optional<QuantFilter> filter = wholeFilter(p, *from);
  if (!filter)
    filter = dequantizedFilter(p.filter);
  if (!filter || (!filter->zeroPoints.empty() && p.group > 1))
    return std::nullopt;
  Answer<Value> codes = codesOf(*from, p.op, lowering);
  if (!codes)
    return Answer<>(codes.no());
  if (auto made = requantizedOf(p, *from, *filter, *codes, lowering)) {
    planRequantized(p, inputOf(lowering, p, *codes), std::move(*filter), *made,
                    lowering);
    return Answer<>(Yes());
  }
  return planIntegers(p, *codes, std::move(*filter), lowering);
}

/// Whether the graph multiplies integers of its own that the integer unit
/// cannot: more than 8 bits of either side.
static bool isOfIntegers(const Product &p) {
  return top::dequantizationOf(p.input) && dequantizedFilter(p.filter);
}

Answer<> weft::quantize::planProduct(Product &product, Lowering &lowering) {
  auto check = [&](float value) -> LogicalResult {
    if (std::isfinite(value))
      return success();
    if (product.needsCodes)
      return failure();
    return emitError(product.location)
           << "a weight is " << (std::isnan(value) ? "NaN" : "infinite")
           << ", must be finite; repair the model";
  };
  auto refused = [&]() -> Answer<> {
    if (product.needsCodes)
      return Refusal(product.op, "a weight that is not finite", "");
    return failure();
  };
  const FloatValues &weights = product.filter.values;
  PagesBehind read = weights.pagesBehind();
  bool areWhole = true;
  for (size_t i = 0; i < weights.size(); ++i) {
    read.reach(i * sizeof(float));
    if (failed(check(weights[i])))
      return refused();
    areWhole &= weights[i] == std::trunc(weights[i]);
  }
  for (float value : product.bias)
    if (failed(check(value)))
      return refused();
  if (std::optional<Answer<>> planned = planAsIntegers(product, lowering))
    return *planned;
  // Weights that are all whole may meet pixels that are.
  bool isExact = product.op->hasAttr(top::kExactAttr);
  product.isExact = isExact || areWhole;
  if (lowering.choices.hasZeroPoints && isOfIntegers(product)) {
    product.isExact = isExact = lowering.isExact = true;
    product.hasRowsInLanes = false; // rows have the type of the program
  }
  return lowering.multipliesCodes && !isExact ? planInt8(product, lowering)
                                              : planFloat(product, lowering);
}

/// Whether products are of codes; what must be exact is not.
static bool multipliesCodes(const Lowering &lowering) {
  return lowering.multipliesCodes && !lowering.isExact;
}

bool weft::quantize::takesRows(int64_t rows, int64_t inner, int64_t columns,
                               Lowering &lowering) {
  if (!canTakeRows(inner, columns, lowering))
    return false;
  const Chip &chip = lowering.chip();
  int64_t weights = inner * columns, lanes = chip.lanes;
  if (multipliesCodes(lowering))
    return true;
  if (lowering.computeType().isF32()) {
    // The cube does either; as pixels of channels the rows cross DRAM.
    int64_t floats = chip.euBytes / sizeof(float);
    auto cycles = [&](int64_t inLanes, int64_t beside) {
      return llvm::divideCeil(inLanes, lanes) *
             llvm::divideCeil(beside, floats) * inner;
    };
    // A channel's pixels are a run.
    int64_t run = std::max<int64_t>(rows * int64_t(sizeof(float)),
                                    chip.rates.shortestDmaRun),
            moved = (inner + columns) * run;
    return cycles(rows, columns) <=
           cycles(columns, rows) + roundTripCycles(moved, chip);
  }
  return !lowering.choices.keepsWide(
      weights, laneProducts(rows, weights, columns, lanes));
}

bool weft::quantize::canTakeRows(int64_t inner, int64_t columns,
                                 Lowering &lowering) {
  if (!lowering.choices.hasMatrixUnit)
    return false;
  const Chip &chip = lowering.chip();
  int64_t lanes = chip.lanes, laneBytes = chip.laneBytes;
  int64_t rounds = (inner + lanes - 1) / lanes,
          bytes = multipliesCodes(lowering)
                      ? 1
                      : tpu::elementBytes(lowering.computeType());
  return std::max(inner, columns) <= int64_t(chip.maxShape) &&
         (rounds * bytes + 2 * int64_t(sizeof(float))) * columns * 2 <=
             laneBytes;
}

/// Images of one pixel are the rows of a matrix. Those that go back to larger
/// images stay in the lanes of their channels: as rows they would cross DRAM,
/// and with them all that the group holds.
static void seeRows(Product &p, Lowering &lowering) {
  bool isPixel = p.group == 1 && p.inputShape[2] * p.inputShape[3] == 1 &&
                 p.outputShape[2] * p.outputShape[3] == 1 &&
                 p.filter.shape[2] == 1 && p.filter.shape[3] == 1 &&
                 llvm::all_of(p.pads, [](int64_t pad) { return pad == 0; });
  int64_t rows = p.inputShape[0];
  if (!isPixel || rows == 1 || spreadsOverImages(p.output))
    return;
  p.inputShape = {1, p.filter.shape[1], rows, 1};
  p.outputShape = {1, p.filter.shape[0], rows, 1};
  p.turnedRows = rows;
  p.hasRowsInLanes =
      takesRows(rows, p.filter.shape[1], p.filter.shape[0], lowering);
}

static Answer<> planConv(top::ConvOp op, Lowering &lowering) {
  std::optional<FloatConstant> filter = lowering.constantOf(op.getFilter());
  if (!filter)
    return Refusal(op, "a convolution whose filter is computed",
                   "its weights must be constant");
  int64_t spatial = filter->shape.size() - 2;
  if (spatial > 2)
    return Refusal(op, inWords("a convolution of ", spatial, " spatial axes"),
                   "1 and 2 are supported");
  Product product{op,
                  op.getInput(),
                  op.getOutput(),
                  *filter,
                  {},
                  SmallVector<int64_t, 2>(op.getStrides()),
                  SmallVector<int64_t, 2>(op.getDilations()),
                  SmallVector<int64_t, 4>(op.getPads()),
                  op.getGroupAttr().getInt(),
                  false,
                  lowering.shapeOf(op.getInput()),
                  lowering.shapeOf(op.getOutput()),
                  op.getLoc()};
  if (spatial == 1) { // the axis becomes w of a single row
    product.filter.shape.insert(product.filter.shape.begin() + 2, 1);
    product.strides.insert(product.strides.begin(), 1);
    product.dilations.insert(product.dilations.begin(), 1);
    product.pads = {0, product.pads[0], 0, product.pads[1]};
  }
  if (op.getBias()) {
    std::optional<FloatConstant> bias = lowering.constantOf(op.getBias());
    if (!bias)
      return Refusal(op, "a convolution whose bias is computed",
                     "its bias must be constant");
    product.bias = bias->values.vector();
  }
  if (top::UnaryOp relu = lowering.followingRelu(op.getOutput())) {
    product.relu = true;
    product.output = relu.getOutput();
    product.location =
        FusedLoc::get(op.getContext(), {op.getLoc(), relu.getLoc()});
    lowering.markTaken(relu);
  }
  seeRows(product, lowering);
  if (Answer<> answer = planProduct(product, lowering); !answer)
    return answer;
  if (product.hasRowsInLanes)
    lowering.define(product.output,
                    lowering.reshaped(product.location,
                                      lowering.firstForm(product.output),
                                      lowering.shapeOf(product.output)));
  return Yes();
}

void weft::quantize::registerConvLowering(LoweringTable &table) {
  table.add<top::ConvOp>(planConv);
}
