//===- Pool.cpp - pooling to tpu ------------------------------------------===//

#include "dialects/top/Pool.h"

#include "dialects/top/Quantization.h"
#include "dialects/tpu/Conv.h"
#include "dialects/tpu/Pool.h"
#include "passes/quantize/Elements.h"
#include "passes/quantize/IntegerProducts.h"

#include "passes/quantize/Lowering.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// A filter over the windows of each channel of the f32 `x`: weights 1 at the
/// places from `first` to `last` along the one axis that the window has.
static Value placesOf(Value x, ArrayRef<int64_t> kernel,
                      ArrayRef<int64_t> strides, ArrayRef<int64_t> pads,
                      int64_t first, int64_t last, Location location,
                      Lowering &lowering) {
  OpBuilder &b = lowering.builder;
  SmallVector<int64_t, 4> shape(cast<RankedTensorType>(x.getType()).getShape());
  int64_t channels = shape[1], places = kernel[0] * kernel[1];
  int64_t filterShape[] = {channels, 1, kernel[0], kernel[1]};
  std::vector<float> weights(channels * places, 0.0f);
  for (int64_t i = 0; i < channels * places; ++i)
    weights[i] = i % places >= first && i % places <= last ? 1.0f : 0.0f;
  Value filter =
      *lowering.floatWeight(location, filterShape, lowering.f32(), weights);
  for (unsigned axis : {0, 1})
    shape[2 + axis] =
        tpu::windowOutputSize(shape[2 + axis], kernel[axis], strides[axis],
                              pads[axis], pads[2 + axis], 1);
  return b.create<tpu::ConvOp>(
      location, lowering.tensor(shape, lowering.f32()), x, filter, Value(),
      b.getDenseI64ArrayAttr(strides), b.getDenseI64ArrayAttr(pads),
      b.getDenseI64ArrayAttr({1, 1}), b.getI64IntegerAttr(channels),
      /*interleaved=*/UnitAttr(), /*relu=*/UnitAttr(),
      /*narrow_sums=*/UnitAttr(), /*exact_sums=*/b.getUnitAttr(),
      DenseI32ArrayAttr(), DenseI32ArrayAttr(), DenseF32ArrayAttr(),
      DenseI32ArrayAttr(),
      tpu::RoundingAttr::get(b.getContext(), tpu::Rounding::HalfUp));
}

/// The sums of windows along one axis, value by value: the unit adds those at
/// even and at odd places apart, so it adds two and finds each of the others.
static Value windowSums(Value x, ArrayRef<int64_t> kernel,
                        ArrayRef<int64_t> strides, ArrayRef<int64_t> pads,
                        Location location, Lowering &lowering) {
  int64_t places = kernel[0] * kernel[1];
  Elements e(lowering, location);
  Value sum = placesOf(x, kernel, strides, pads, 0, 1, location, lowering);
  for (int64_t place = 2; place < places; ++place)
    sum = e.binary(
        tpu::BinaryKind::Add, sum,
        placesOf(x, kernel, strides, pads, place, place, location, lowering));
  return sum;
}

/// sum / count, rounded to nearest. The remainder is exact: each power of two
/// of the count takes away between half and all of what is left.
static Value quotientByCount(Value sum, int64_t count, Elements &e) {
  using tpu::BinaryKind;
  double reciprocal = 1.0f / static_cast<float>(count);
  Value guess = e.binary(BinaryKind::Mul, sum, reciprocal), rest = sum;
  if (llvm::isPowerOf2_64(count))
    return guess;
  for (int bit = llvm::Log2_64(count); bit >= 0; --bit)
    if (count >> bit & 1)
      rest = e.binary(
          BinaryKind::Sub, rest,
          bit ? e.binary(BinaryKind::Mul, guess, double(int64_t(1) << bit))
              : guess);
  return e.binary(BinaryKind::Add, guess,
                  e.binary(BinaryKind::Mul, rest, reciprocal));
}

/// The mean of windows of dequantized numbers: many means of two codes lie
/// between two codes, and the rounding of the sum says which they become. So it
/// is that of ONNX Runtime: columns, then rows, then a quotient.
static Value meanOfColumns(Value x, ArrayRef<int64_t> kernel,
                           ArrayRef<int64_t> strides, ArrayRef<int64_t> pads,
                           Location location, Lowering &lowering) {
  Value sums = x;
  if (kernel[0] > 1 || strides[0] > 1)
    sums = windowSums(sums, {kernel[0], 1}, {strides[0], 1},
                      {pads[0], 0, pads[2], 0}, location, lowering);
  if (kernel[1] > 1 || strides[1] > 1)
    sums = windowSums(sums, {1, kernel[1]}, {1, strides[1]},
                      {0, pads[1], 0, pads[3]}, location, lowering);
  Elements e(lowering, location);
  return quotientByCount(sums, kernel[0] * kernel[1], e);
}

/// Whether `op` is a mean of dequantized integers over small windows: means
/// over an image are added up in vectors, in an order of their own.
static bool isMeanOfIntegers(top::PoolOp op) {
  constexpr int64_t kLongestSide = 8;
  auto shape = cast<RankedTensorType>(op.getInput().getType()).getShape();
  return op.getKind() == top::PoolKind::Avg &&
         top::dequantizationOf(op.getInput()) &&
         llvm::all_of(op.getKernel(),
                      [](int64_t side) { return side <= kLongestSide; }) &&
         ArrayRef<int64_t>(op.getKernel()) != shape.drop_front(2);
}

static Answer<> planPool(top::PoolOp op, Lowering &lowering) {
  if (mlir::isa<IntegerType>(topElement(op.getInput())))
    return Refusal(op, "pooling of integers", "cast them to floats");
  OpBuilder &b = lowering.builder;
  SmallVector<int64_t, 4> kernel(op.getKernel()), strides(op.getStrides()),
      pads(op.getPads());
  if (kernel.size() > 2)
    return Refusal(op, inWords("pooling over ", kernel.size(), " axes"),
                   "1 and 2 are supported");
  if (kernel.size() == 1) { // the axis becomes w of a single row
    kernel.insert(kernel.begin(), 1);
    strides.insert(strides.begin(), 1);
    pads = {0, pads[0], 0, pads[1]};
  }
  bool average = op.getKind() == top::PoolKind::Avg;
  bool padded = llvm::any_of(pads, [](int64_t pad) { return pad != 0; });
  if (average && padded && !op.getCountIncludePad())
    return Refusal(op, "average pooling that leaves padding out of the mean",
                   "use count_include_pad=1 or pad 0");
  // The pooling unit rounds every partial sum to its type: a mean of hundreds
  // of values needs f32. The largest of codes is the code of the largest.
  Value form = lowering.firstForm(op.getInput());
  std::optional<IntegerValue> integers;
  if (!average && lowering.choices.hasZeroPoints)
    integers = integersBehind(op.getInput(), lowering);
  if (integers) {
    Answer<Value> codes = codesOf(*integers, op, lowering);
    if (!codes)
      return codes.no();
    form = *codes;
  }
  Type element = average ? lowering.f32()
                 : tpu::isQuantized(form)
                     ? tpu::elementOf(form)
                     : lowering.elementwiseType(op.getInput());
  Value input = integers ? lowering.reshaped(op.getLoc(), form,
                                             lowering.shapeOf(op.getInput()))
                         : lowering.inFloat(op.getInput(), element);
  if (isMeanOfIntegers(op) && lowering.choices.hasZeroPoints) {
    lowering.define(op.getOutput(), meanOfColumns(input, kernel, strides, pads,
                                                  op.getLoc(), lowering));
    return Yes();
  }
  auto type = lowering.tensor(lowering.shapeOf(op.getOutput()), element);
  lowering.define(
      op.getOutput(),
      b.create<tpu::PoolOp>(
          op.getLoc(), type,
          tpu::PoolKindAttr::get(op.getContext(), average ? tpu::PoolKind::Avg
                                                          : tpu::PoolKind::Max),
          input, b.getDenseI64ArrayAttr(kernel),
          b.getDenseI64ArrayAttr(strides), b.getDenseI64ArrayAttr(pads),
          average && padded ? b.getUnitAttr() : UnitAttr(), IntegerAttr(),
          IntegerAttr()));
  return Yes();
}

void weft::quantize::registerPoolLowering(LoweringTable &table) {
  table.add<top::PoolOp>(planPool);
}
