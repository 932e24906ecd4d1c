//===- IntegerProducts.cpp - products of 8-bit integers -------------------===//

#include "passes/quantize/IntegerProducts.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Cast.h"
#include "passes/quantize/QuantScale.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// Whole numbers up to it are f32 numbers.
static constexpr double kExactFloats = 1 << 24;

static bool isWhole(float value) { return value == std::trunc(value); }

/// Reads x of cast(x), or cast(x) - number, with x of 8-bit integers and the
/// number one of them.
static bool readInput(Value value, IntegerProduct &found, Lowering &lowering) {
  found.zeroPoint = 0;
  float number = 0;
  if (auto difference = value.getDefiningOp<top::BinaryOp>()) {
    std::optional<FloatConstant> less =
        lowering.constantOf(difference.getRhs());
    if (difference.getKind() != top::BinaryKind::Sub || !less ||
        !less->isScalar())
      return false;
    number = less->values[0];
    value = difference.getLhs();
  }
  auto cast = value.getDefiningOp<top::CastOp>();
  if (!cast || !topElement(value).isF32() ||
      !topElement(cast.getInput()).isInteger(8))
    return false;
  found.input = cast.getInput();
  auto [low, high] =
      tpu::integerBounds(mlir::cast<IntegerType>(topElement(found.input)));
  if (!(number >= float(low) && number <= float(high)) || !isWhole(number))
    return false;
  found.zeroPoint = static_cast<int64_t>(number);
  return true;
}

/// Reads the filter if it is of signed 8-bit integers, and f32 holds what they
/// add up to with any input, its zero point and the bias, which is whole too.
static bool readFilter(const Product &product, IntegerProduct &found) {
  const FloatValues &values = product.filter.values;
  size_t channels = product.filter.shape[0], size = values.size() / channels;
  found.filter.resize(values.size());
  PagesBehind read = values.pagesBehind();
  double most = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    read.reach(i * sizeof(float));
    float value = values[i];
    if (!(value >= INT8_MIN && value <= INT8_MAX) || !isWhole(value))
      return false;
    found.filter[i] = static_cast<int8_t>(value);
    if (i % size == 0)
      most = product.bias.empty() ? 0 : std::fabs(product.bias[i / size]);
    most += std::fabs(value) * kUnsignedLevels;
    if (most > kExactFloats)
      return false;
  }
  return llvm::all_of(product.bias, isWhole);
}

std::optional<IntegerProduct>
weft::quantize::integerProductOf(const Product &product, Lowering &lowering) {
  IntegerProduct found;
  if (!readInput(product.input, found, lowering) ||
      lowering.isOnHost(found.input) || !lowering.firstForm(found.input) ||
      !readFilter(product, found))
    return std::nullopt;
  return found;
}
