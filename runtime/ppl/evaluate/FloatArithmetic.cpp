//===- FloatArithmetic.cpp - float operations of the TIU -----------------===//

#include "runtime/ppl/evaluate/FloatArithmetic.h"
#include "runtime/numeric/Float16.h"
#include "runtime/numeric/SmallFloats.h"

#include <cmath>

using namespace weft;
using namespace weft::catalog;
using namespace weft::catalog::floats;

static constexpr float kSmallestNormal = 0x1p-126f;

static float quieted(float x) {
  return floatFromBits(floatBits(x) | 0x00400000u);
}

/// The NaN of an operation with the operands `a` and `b`, or its result.
static float settled(float a, float b, float result) {
  if (isNaN(a))
    return quieted(a);
  if (isNaN(b))
    return quieted(b);
  return isNaN(result) ? floatFromBits(0xffc00000u) : result;
}

float floats::add(float a, float b) {
  a = flushed(a);
  b = flushed(b);
  // A sum of normal numbers that is subnormal is exact, so that it does not
  // matter when it is flushed.
  return settled(a, b, flushed(a + b));
}

float floats::subtract(float a, float b) {
  a = flushed(a);
  b = flushed(b);
  return settled(a, b, flushed(a - b));
}

/// A product whose magnitude is below the normal numbers becomes one of them
/// if it rounds up to it with `digits` binary digits, else zero.
static float product(float a, float b, int digits) {
  a = flushed(a);
  b = flushed(b);
  double exact = double(a) * double(b); // 48 digits
  // Halfway between the smallest normal number and the one below it, were
  // there as many digits; the tie goes to the even one, which is the normal.
  double limit = double(kSmallestNormal) * (1 - std::ldexp(1.0, -digits - 1));
  if (std::fabs(exact) < double(kSmallestNormal)) {
    float zero = std::signbit(exact) ? -0.0f : 0.0f;
    return std::fabs(exact) >= limit ? std::copysign(kSmallestNormal, zero)
                                     : zero;
  }
  return settled(a, b, a * b);
}

float floats::multiply(float a, float b) { return product(a, b, 24); }

float floats::multiply(DataType type, float a, float b) {
  return product(a, b, type == DataType::Bf16 ? 8 : 24);
}

float floats::load(const Dense &values, int64_t index) {
  uint32_t bits = uint32_t(values.bits(index));
  switch (values.type) {
  case DataType::Fp32:
    return floatFromBits(bits);
  case DataType::Fp16:
    return numeric::halfToFloat(uint16_t(bits));
  case DataType::Bf16:
    return floatFromBits(bits << 16);
  default:
    return float(values.value(index));
  }
}

void floats::store(Dense &values, int64_t index, float value) {
  switch (values.type) {
  case DataType::Fp32:
    return values.setBits(index, floatBits(value));
  case DataType::Fp16:
    return values.setBits(index, numeric::floatToHalf(value));
  case DataType::Bf16:
    return values.setBits(index, numeric::floatToBf16(value));
  default:
    return values.setValue(index, value);
  }
}

void floats::storeSaturated(Dense &values, int64_t index, float value) {
  store(values, index, value);
  double stored = values.value(index);
  bool isLost = std::isinf(stored) || (std::isnan(stored) && !isNaN(value));
  if (!isLost)
    return;
  double most = 0;
  switch (values.type) {
  case DataType::Fp16:
    most = 65504;
    break;
  case DataType::Bf16:
    most = 0x1.fep127;
    break;
  case DataType::Fp8e5m2:
    most = 57344;
    break;
  case DataType::Fp8e4m3:
    most = 448;
    break;
  default:
    most = 0x1.fffffep127;
  }
  values.setValue(index, value < 0 ? -most : most);
}

float floats::rounded(DataType type, float value) {
  Dense one(type, {1, 1, 1, 1});
  store(one, 0, value);
  return load(one, 0);
}

float floats::widened(const Dense &values, int64_t index) {
  float value = load(values, index);
  return values.type == DataType::Fp16 && isNaN(value)
             ? floatFromBits(floatBits(value) | 0x7fffffffu)
             : value;
}

uint16_t floats::halfOf(double value, DataType type, numeric::Rounding mode) {
  float odd = numeric::roundToOdd(value);
  return type == DataType::Fp16 ? numeric::floatToHalf(odd, mode)
                                : numeric::floatToBf16(odd, mode);
}

void floats::narrow(Dense &values, int64_t index, float value,
                    numeric::Rounding mode) {
  if (values.type == DataType::Fp32)
    return values.setBits(index, floatBits(value));
  uint32_t sign = (floatBits(value) & kSignBit) >> 16;
  if (isNaN(value))
    return values.setBits(index, sign | numeric::kNaN16);
  value = flushed(value);
  if (values.type == DataType::Fp16 && magnitude(value) >= 65536)
    return values.setBits(index, sign | 0x7c00);
  values.setBits(index, halfOf(double(value), values.type, mode));
}

float floats::reciprocalRoot(float x, int64_t steps) {
  int32_t halved = int32_t(floatBits(x)) >> 1; // arithmetic: the sign stays
  float r = floatFromBits(0x5f3759dfu - uint32_t(halved));
  float half = multiply(0.5f, x);
  for (int64_t i = 0; i < steps; ++i)
    r = multiply(r, subtract(1.5f, multiply(multiply(half, r), r)));
  return r;
}

float floats::quotient(float a, float b, int64_t steps) {
  float r = reciprocalRoot(magnitude(b), steps);
  float dividend = floatFromBits(floatBits(a) ^ (floatBits(b) & kSignBit));
  return multiply(multiply(r, r), dividend);
}

float floats::polynomial(DataType type, const std::vector<float> &coefficients,
                         float x) {
  float sum = coefficients.back();
  for (size_t i = coefficients.size() - 1; i-- > 0;)
    sum = rounded(type,
                  add(rounded(type, multiply(type, sum, x)), coefficients[i]));
  return sum;
}

double floats::wholeNumber(double x, int64_t mode) {
  double low = std::floor(x), part = x - low;
  if (std::isinf(x) || x != x || part == 0)
    return x;
  bool isOdd = std::fmod(low, 2) != 0, isNegative = x < 0;
  bool up = false; // to low + 1
  switch (numeric::Rounding(mode)) {
  case numeric::Rounding::HalfToEven:
    up = part > 0.5 || (part == 0.5 && isOdd);
    break;
  case numeric::Rounding::HalfAwayFromZero:
    up = part > 0.5 || (part == 0.5 && !isNegative);
    break;
  case numeric::Rounding::TowardZero:
    up = isNegative;
    break;
  case numeric::Rounding::Floor:
    break;
  case numeric::Rounding::Ceil:
    up = true;
    break;
  case numeric::Rounding::HalfUp:
    up = part >= 0.5;
    break;
  case numeric::Rounding::HalfDown:
    up = part > 0.5;
    break;
  }
  return std::copysign(low + up, x);
}
