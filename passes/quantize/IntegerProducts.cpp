//===- IntegerProducts.cpp - products of 8-bit integers -------------------===//

#include "passes/quantize/IntegerProducts.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Cast.h"
#include "passes/quantize/QuantScale.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// Whole numbers up to it are f32 numbers.
static constexpr double kExactFloats = 1 << 24;

static bool isWhole(float value) { return value == std::trunc(value); }

/// The number on the right side of a step of `kind` that gives `value`, which
/// becomes its left side; std::nullopt if it is no such step.
static std::optional<float> takeStep(Value &value, top::BinaryKind kind,
                                     Lowering &lowering) {
  auto op = value.getDefiningOp<top::BinaryOp>();
  if (!op || op.getKind() != kind || op.getLhs().getType() != op.getType())
    return std::nullopt;
  std::optional<FloatConstant> number = lowering.constantOf(op.getRhs());
  if (!number || !number->isScalar())
    return std::nullopt;
  value = op.getLhs();
  return number->values[0];
}

std::optional<IntegerValue> weft::quantize::integersBehind(Value value,
                                                           Lowering &lowering) {
  float scale = takeStep(value, top::BinaryKind::Mul, lowering).value_or(1.0f);
  float zero = takeStep(value, top::BinaryKind::Sub, lowering).value_or(0.0f);
  auto cast = value.getDefiningOp<top::CastOp>();
  if (!cast || !topElement(value).isF32() ||
      !topElement(cast.getInput()).isInteger(8))
    return std::nullopt;
  Value integers = cast.getInput();
  auto [low, high] =
      tpu::integerBounds(mlir::cast<IntegerType>(topElement(integers)));
  bool isCode = zero >= float(low) && zero <= float(high) && isWhole(zero);
  if (!isCode || !(scale >= std::numeric_limits<float>::min()) ||
      !std::isfinite(scale) || lowering.isOnHost(integers) ||
      !lowering.firstForm(integers))
    return std::nullopt;
  return IntegerValue{integers, static_cast<int64_t>(zero), scale};
}

std::optional<QuantFilter>
weft::quantize::wholeFilter(const Product &product, const IntegerValue &input) {
  if (input.scale != 1 || !llvm::all_of(product.bias, isWhole))
    return std::nullopt;
  const FloatValues &values = product.filter.values;
  size_t channels = product.filter.shape[0], size = values.size() / channels;
  QuantFilter filter{std::vector<int8_t>(values.size()),
                     std::vector<double>(channels, 1.0)};
  PagesBehind read = values.pagesBehind();
  double most = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    read.reach(i * sizeof(float));
    float value = values[i];
    if (!(value >= INT8_MIN && value <= INT8_MAX) || !isWhole(value))
      return std::nullopt;
    filter.values[i] = static_cast<int8_t>(value);
    if (i % size == 0)
      most = product.bias.empty() ? 0 : std::fabs(product.bias[i / size]);
    most += std::fabs(value) * kUnsignedLevels; // zero points are no larger
    if (most > kExactFloats)
      return std::nullopt;
  }
  return filter;
}

/// Writes `size` numbers from `first` on as whole numbers of 8 bits times the
/// scale, which it gives; 0 if they are not. Each number, and the largest that
/// the scale is taken from, was rounded to f32 once: codes are off by 2^-16 at
/// most. What is that near to whole numbers loses nothing by being them.
static double readChannel(const FloatValues &values, size_t first, size_t size,
                          std::vector<int8_t> &codes) {
  constexpr double kNearWhole = 0x1p-12;
  double largest = 0;
  for (size_t i = 0; i < size; ++i)
    if (std::fabs(values[first + i]) > std::fabs(largest))
      largest = values[first + i];
  if (largest == 0)
    return 1;
  for (int most = 1; most <= (largest < 0 ? -INT8_MIN : INT8_MAX); ++most) {
    double scale = std::fabs(largest) / most;
    bool areWhole = true;
    for (size_t i = 0; i < size && areWhole; ++i) {
      double steps = values[first + i] / scale, code = std::nearbyint(steps);
      areWhole = std::fabs(steps - code) < kNearWhole && code <= INT8_MAX;
      codes[first + i] = static_cast<int8_t>(areWhole ? code : 0);
    }
    if (areWhole)
      return scale;
  }
  return 0;
}

std::optional<QuantFilter>
weft::quantize::dequantizedFilter(const FloatConstant &filter) {
  size_t channels = filter.shape[0], size = filter.values.size() / channels;
  QuantFilter found;
  found.values.resize(filter.values.size());
  PagesBehind read = filter.values.pagesBehind();
  for (size_t oc = 0; oc < channels; ++oc) {
    read.reach(oc * size * sizeof(float));
    found.scales.push_back(
        readChannel(filter.values, oc * size, size, found.values));
    if (found.scales.back() == 0)
      return std::nullopt;
  }
  return found;
}
