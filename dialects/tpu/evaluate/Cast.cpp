//===- Cast.cpp - evaluation of the Cast family ---------------------------===//

#include "dialects/tpu/Cast.h"

#include "dialects/tpu/evaluate/Numbers.h"
#include "runtime/numeric/Float16.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// As f32 computes on the machine: a subnormal number is a zero of its sign.
static float flushed(double value) {
  float number = static_cast<float>(value);
  return std::fpclassify(number) == FP_SUBNORMAL ? std::copysign(0.0f, number)
                                                 : number;
}

static std::vector<int64_t> quantize(CastOp op,
                                     const std::vector<double> &input) {
  Type from = elementOf(op.getInput()), to = elementOf(op.getOutput());
  IntegerRange range = rangeOf(to);
  float factor = flushed(roundTo(from, 1.0 / scaleOf(to)));
  int64_t zeroPoint = zeroPointOf(to);
  bool isCastAlone = scaleOf(to) == 1 && zeroPoint == 0;
  std::vector<int64_t> output;
  for (double x : input) { // steps in the input's type, then the cast
    auto code = static_cast<float>(x);
    if (!isCastAlone)
      code = roundTo(from, flushed(flushed(x) * factor));
    if (zeroPoint != 0)
      code = roundTo(from, code + static_cast<float>(zeroPoint));
    output.push_back(numeric::roundToInteger(
        code, machineRounding(op.roundingMode()), range.low, range.high));
  }
  return output;
}

LogicalResult CastOp::evaluate(Operands operands, Results &results) {
  Type to = elementOf(getOutput());
  if (getBits()) {
    HostTensor &output =
        results.emplace_back(*makeHostTensor(getOutput().getType()));
    std::memcpy(output.bytes(), operands[0]->bytes(), output.sizeBytes());
    return success();
  }
  if (isa<IntegerType>(elementOf(getInput())) && isa<IntegerType>(to)) {
    storeStored(getOutput(), loadIntegers(*operands[0]), results); // wraps
    return success();
  }
  if (isQuantized(getInput()) && isQuantized(getOutput())) {
    std::vector<int64_t> values = loadIntegers(*operands[0]);
    for (int64_t &value : values)
      value = requantize(value - zeroPointOf(elementOf(getInput())),
                         static_cast<int32_t>(*getMultiplier()), *getRshift(),
                         roundingMode(), rangeOf(to), zeroPointOf(to));
    storeStored(getOutput(), values, results);
    return success();
  }
  std::vector<double> input = loadDoubles(*operands[0]);
  if (isQuantized(getOutput())) {
    storeStored(getOutput(), quantize(*this, input), results);
    return success();
  }
  if (isa<IntegerType>(to)) {
    IntegerRange range = rangeOf(to);
    std::vector<int64_t> values;
    for (double x : input)
      values.push_back(numeric::roundToInteger(
          x, machineRounding(roundingMode()), range.low, range.high));
    storeStored(getOutput(), values, results);
    return success();
  }
  // Integers become f32, then a 16-bit type; to bf16 the machine rounds at
  // once.
  if (isa<IntegerType>(elementOf(getInput())) && to.isBF16()) {
    std::vector<float> rounded;
    for (double x : input)
      rounded.push_back(numeric::integerToFloat(
          static_cast<int64_t>(x), numeric::Rounding::HalfToEven, 8));
    storeFloats(getOutput(), rounded, results);
    return success();
  }
  Type from = elementOf(getInput());
  float scale = flushed(scaleOf(from));
  // Widening keeps the bits.
  bool flushes = isQuantized(getInput()) || to.getIntOrFloatBitWidth() == 16;
  double zeroPoint = static_cast<double>(zeroPointOf(from));
  std::vector<float> output;
  for (double x : input) {
    float y = static_cast<float>(x - zeroPoint) * scale;
    output.push_back(roundTo(to, flushes ? flushed(y) : y));
  }
  storeFloats(getOutput(), output, results);
  return success();
}
