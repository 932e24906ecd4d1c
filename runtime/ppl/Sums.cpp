//===- Sums.cpp - how the machine adds products --------------------------===//

#include "runtime/ppl/Sums.h"
#include "runtime/numeric/Float16.h"

#include <algorithm>
#include <cmath>

using namespace weft;
using namespace weft::catalog;

static constexpr float kSmallest = 0x1p-126f; // normal

float catalog::flushed(float x) {
  return std::fabs(x) < kSmallest ? std::copysign(0.0f, x) : x;
}

/// An exact value to fp32. It is tiny if it is so after rounding to 24 digits:
/// from half a unit below the smallest normal number on it is not.
static float roundFlushed(double exact) {
  constexpr double kHalfUnit = 0x1p-151;
  if (std::fabs(exact) >= kSmallest || std::isnan(exact))
    return float(exact);
  bool reaches = std::fabs(exact) >= double(kSmallest) - kHalfUnit;
  return std::copysign(reaches ? kSmallest : 0.0f, float(exact));
}

float catalog::addFlushed(float a, float b) {
  return flushed(flushed(a) + flushed(b)); // a tiny sum is exact
}
float catalog::multiplyFlushed(float a, float b) {
  a = flushed(a), b = flushed(b);
  float product = a * b;
  // Rounded from a whole double only where fp32 has fewer digits.
  return std::fabs(product) > kSmallest ? product
                                        : roundFlushed(double(a) * double(b));
}

float catalog::roundedTo(DataType type, float value) {
  switch (type) {
  case DataType::Fp32:
    return value;
  case DataType::Fp16:
    return numeric::halfToFloat(numeric::floatToHalf(value));
  case DataType::Bf16:
    return numeric::bf16ToFloat(numeric::floatToBf16(value));
  default:
    break;
  }
  Dense element(type, {1, 1, 1, 1});
  element.setValue(0, value);
  return float(element.value(0));
}

/// A product of bf16 numbers rounds to 8 bits before it is compared with the
/// smallest normal number.
static float tinyProduct(float x, float y) {
  double exact = double(flushed(x)) * double(flushed(y));
  return float(std::fabs(exact) >= 0x1.ffp-127
                   ? std::copysign(double(kSmallest), exact)
                   : std::copysign(0.0, exact));
}

void AlternatingSum::add(float x, float weight) {
  float product = multiplyFlushed(x, weight);
  if (type == DataType::Bf16 && product == 0)
    product = tinyProduct(x, weight);
  product = roundedTo(type, product);
  float &sum = sums[next];
  sum = roundedTo(type, addFlushed(sum, product));
  next ^= 1;
}

float AlternatingSum::result() const {
  return roundedTo(type, addFlushed(sums[0], sums[1]));
}

float catalog::alternatingSum(const float *x, const float *weights,
                              int64_t count, float even, float odd) {
  float sums[2] = {flushed(even), flushed(odd)};
  for (int64_t k = 0; k < count; ++k) // products are flushed already
    sums[k & 1] = flushed(sums[k & 1] + multiplyFlushed(x[k], weights[k]));
  return flushed(sums[0] + sums[1]);
}

/// Of products that are not all finite.
static float specialSum(const float *products, int64_t count) {
  bool plus = false, minus = false;
  for (int64_t k = 0; k < count; ++k)
    if (!std::isfinite(products[k])) {
      plus |= products[k] > 0;
      minus |= products[k] < 0;
    }
  if (plus == minus)
    return numeric::floatFromBits(0xffc00000u);
  return plus ? INFINITY : -INFINITY;
}

float catalog::blockSum(const float *x, const float *weights, int64_t count) {
  constexpr int64_t kMost = 64;
  float products[kMost];
  uint32_t largest = 0; // bits without the sign
  for (int64_t k = 0; k < count; ++k) {
    products[k] = multiplyFlushed(x[k], weights[k]);
    largest = std::max(largest, numeric::floatBits(products[k]) & 0x7fffffff);
  }
  if (largest >= 0x7f800000)
    return specialSum(products, count);
  if (largest == 0)
    return 0;
  // In units of 2^-24 of the largest exponent; at most 64 numbers below 2^25.
  int exponent = int(largest >> 23);
  int64_t sum = 0;
  for (int64_t k = 0; k < count; ++k) {
    uint32_t bits = numeric::floatBits(products[k]);
    int below = exponent - int(bits >> 23 & 0xff);
    int64_t digits = bits << 1 == 0 ? 0 : (bits & 0x7fffff) | 0x800000;
    digits = below > 24 ? 0 : digits << 1 >> below;
    sum += bits >> 31 ? -digits : digits;
  }
  return roundFlushed(std::ldexp(double(sum), exponent - 127 - 24));
}

void catalog::storeSum(Dense &dense, int64_t index, float sum) {
  bool isHalf = dense.type == DataType::Fp16 || dense.type == DataType::Bf16;
  if (isHalf && std::isnan(sum))
    return dense.setBits(index, std::signbit(sum) ? 0xffff : 0x7fff);
  if (dense.type == DataType::Fp32)
    return dense.setBits(index, numeric::floatBits(sum));
  dense.setValue(index, sum);
}

int64_t catalog::saturatedTo(DataType type, int64_t value, bool isSymmetric) {
  int64_t low = isSymmetric && isSigned(type)
                    ? -(int64_t(1) << (bitsOf(type) - 1)) + 1
                    : INT64_MIN;
  return std::max(numeric::saturate(value, bitsOf(type), isSigned(type)), low);
}

Requantisation::Requantisation(const Call &call, std::string_view shift,
                               std::string_view offset,
                               std::string_view rounding)
    : multiplier(call.integer("multiplier")), shift(call.integer(shift)),
      offset(call.integer(offset)),
      rounding(numeric::Rounding(call.integer(rounding))),
      isSymmetric(call.integer("saturate")) {}

int64_t Requantisation::apply(int64_t sum, DataType type) const {
  int64_t product = sum * multiplier; // below 2^63
  if (shift < 0) {
    product = numeric::shiftRightRounded(product, unsigned(-shift), rounding);
    product = saturatedTo(DataType::Int32, product);
  } else {
    // Saturated first: a shift to the left does not bring it back.
    product = saturatedTo(DataType::Int32, product);
    product *= int64_t(1) << std::min<int64_t>(shift, 31);
    product = saturatedTo(DataType::Int32, product);
  }
  return saturatedTo(type, product + offset, isSymmetric);
}

const Dense &catalog::accumulatorOf(const Values &values,
                                    std::string_view result) {
  auto other = values.find("accumulator");
  return other != values.end() ? other->second : values.at(result);
}
