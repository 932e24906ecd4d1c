//===- IntegerProducts.cpp - products of 8-bit integers -------------------===//

#include "passes/quantize/IntegerProducts.h"

#include "dialects/top/Quantization.h"
#include "passes/quantize/QuantScale.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

static bool isWhole(float value) { return value == std::trunc(value); }

std::optional<IntegerValue> weft::quantize::integersBehind(Value value,
                                                           Lowering &lowering) {
  std::optional<top::Dequantization> found = top::dequantizationOf(value);
  if (!found || !topElement(found->integers).isInteger(8) ||
      lowering.isOnHost(found->integers) ||
      !lowering.firstForm(found->integers))
    return std::nullopt;
  return IntegerValue{found->integers, found->zeroPoint, found->scale};
}

Answer<Value> weft::quantize::codesOf(const IntegerValue &from, Operation *user,
                                      Lowering &lowering) {
  auto type = cast<IntegerType>(storedElement(topElement(from.integers)));
  Answer<Value> integers = lowering.value(from.integers, type, user);
  if (!integers)
    return integers.no();
  Type codes = tpu::quantElement(lowering.builder.getContext(), from.scale,
                                 !type.isUnsigned(), from.zeroPoint);
  return lowering.bits(*integers, codes);
}

//===----------------------------------------------------------------------===//
// Filters
//===----------------------------------------------------------------------===//

namespace {
/// Least and greatest of some whole numbers.
struct Range {
  int least = 0, most = 0;
  void add(int number) {
    least = std::min(least, number);
    most = std::max(most, number);
  }
  bool fitsByte() const { return most - least <= UINT8_MAX; }
};
} // namespace

/// The weights `codes`, channel by channel, in 8 bits: as they are, less one
/// zero point for all, or one for each channel. False if a channel's range is
/// wider than 8 bits.
static bool holdInBytes(ArrayRef<int16_t> codes, QuantFilter &filter) {
  size_t channels = filter.scales.size(), size = codes.size() / channels;
  std::vector<Range> ranges(channels);
  Range all;
  for (size_t i = 0; i < codes.size(); ++i) {
    ranges[i / size].add(codes[i]);
    all.add(codes[i]);
  }
  if (!llvm::all_of(ranges,
                    [](const Range &range) { return range.fitsByte(); }))
    return false;
  bool fit = all.least >= INT8_MIN && all.most <= INT8_MAX;
  std::vector<int32_t> zeroPoints;
  for (const Range &range : ranges) {
    const Range &held = all.fitsByte() ? all : range;
    // The range lies as near to its codes as can be.
    int32_t zero = held.most > INT8_MAX    ? INT8_MAX - held.most
                   : held.least < INT8_MIN ? INT8_MIN - held.least
                                           : 0;
    zeroPoints.push_back(fit ? 0 : zero);
  }
  filter.values.resize(codes.size());
  for (size_t i = 0; i < codes.size(); ++i)
    filter.values[i] = static_cast<int8_t>(codes[i] + zeroPoints[i / size]);
  if (!fit)
    filter.zeroPoints = std::move(zeroPoints);
  return true;
}

std::optional<QuantFilter>
weft::quantize::wholeFilter(const Product &product, const IntegerValue &input) {
  if (input.scale != 1 || !llvm::all_of(product.bias, isWhole))
    return std::nullopt;
  const FloatValues &values = product.filter.values;
  QuantFilter filter;
  filter.scales.assign(product.filter.shape[0], 1.0);
  std::vector<int16_t> codes(values.size());
  PagesBehind read = values.pagesBehind();
  for (size_t i = 0; i < values.size(); ++i) {
    read.reach(i * sizeof(float));
    float value = values[i];
    if (!(std::fabs(value) <= UINT8_MAX) || !isWhole(value))
      return std::nullopt;
    codes[i] = static_cast<int16_t>(value);
  }
  return holdInBytes(codes, filter) ? std::optional(std::move(filter))
                                    : std::nullopt;
}

/// The f32 number next to `near` that gives all `values` again from their
/// codes; `near` itself if none does.
static double exactScale(const FloatValues &values, size_t first,
                         ArrayRef<int16_t> codes, double near) {
  constexpr int kMostSteps = 3;
  float candidate = static_cast<float>(near);
  for (int step = 0; step < kMostSteps; ++step)
    candidate = std::nextafter(candidate, 0.0f);
  for (int step = -kMostSteps; step <= kMostSteps; ++step) {
    bool gives = true;
    for (size_t i = 0; i < codes.size() && gives; ++i)
      gives = values[first + i] == static_cast<float>(codes[i]) * candidate;
    if (gives)
      return candidate;
    candidate =
        std::nextafter(candidate, std::numeric_limits<float>::infinity());
  }
  return near;
}

/// Writes numbers from `first` on as whole numbers whose range fits 8 bits
/// times the scale, which it gives; 0 if they are not. Each number, and the
/// largest that the scale is taken from, was rounded to f32 once: codes are off
/// by 2^-15 at most. What is that near to whole numbers loses nothing by being
/// them.
static double readChannel(const FloatValues &values, size_t first,
                          MutableArrayRef<int16_t> codes) {
  constexpr double kNearWhole = 0x1p-12;
  double largest = 0;
  for (size_t i = 0; i < codes.size(); ++i)
    if (std::fabs(values[first + i]) > std::fabs(largest))
      largest = values[first + i];
  if (largest == 0)
    return 1;
  for (int most = 1; most <= UINT8_MAX; ++most) {
    double scale = std::fabs(largest) / most;
    Range range;
    bool areWhole = true;
    for (size_t i = 0; i < codes.size() && areWhole; ++i) {
      double steps = values[first + i] / scale, code = std::nearbyint(steps);
      areWhole = std::fabs(steps - code) < kNearWhole;
      codes[i] = static_cast<int16_t>(code);
      range.add(codes[i]);
    }
    if (areWhole && range.fitsByte())
      return exactScale(values, first, codes, scale);
  }
  return 0;
}

std::optional<QuantFilter>
weft::quantize::dequantizedFilter(const FloatConstant &filter) {
  size_t channels = filter.shape[0], size = filter.values.size() / channels;
  QuantFilter found;
  std::vector<int16_t> codes(filter.values.size());
  PagesBehind read = filter.values.pagesBehind();
  for (size_t oc = 0; oc < channels; ++oc) {
    read.reach(oc * size * sizeof(float));
    found.scales.push_back(
        readChannel(filter.values, oc * size,
                    MutableArrayRef(codes).slice(oc * size, size)));
    if (found.scales.back() == 0)
      return std::nullopt;
  }
  return holdInBytes(codes, found) ? std::optional(std::move(found))
                                   : std::nullopt;
}
