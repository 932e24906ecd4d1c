#include "runtime/numeric/Cast.h"

#include <cassert>
#include <cmath>
#include <cstring>

namespace weft::numeric {

unsigned elementBits(ElementType type) {
  switch (type) {
  case ElementType::I2:
  case ElementType::U2:
    return 2;
  case ElementType::I4:
  case ElementType::U4:
  case ElementType::F4E2M1:
    return 4;
  case ElementType::F6E2M3:
  case ElementType::F6E3M2:
    return 6;
  default:
    return unsigned(elementBytes(type)) * 8;
  }
}

/// Bits of an integer type or bool; 0 for floats.
static int integerBits(ElementType type) {
  return isFloatType(type) ? 0 : int(elementBits(type));
}

/// Element of an integer type or bool, extended to 64 bits.
static int64_t loadInteger(const uint8_t *at, ElementType type) {
  size_t bytes = elementBytes(type);
  uint64_t bits = 0;
  std::memcpy(&bits, at, bytes);
  unsigned shift = unsigned(64 - 8 * bytes);
  return isSignedType(type) ? int64_t(bits << shift) >> shift : int64_t(bits);
}

/// Stores the low bits of `value`; a bool is whether it is not 0.
static void storeInteger(uint8_t *at, ElementType type, int64_t value) {
  if (type == ElementType::Bool) {
    *at = value != 0;
    return;
  }
  unsigned shift = unsigned(64 - integerBits(type));
  uint64_t bits = uint64_t(value) << shift;
  value = isSignedType(type) ? int64_t(bits) >> shift : int64_t(bits >> shift);
  std::memcpy(at, &value, elementBytes(type));
}

/// An integer as a double that rounds to any narrower float as the integer
/// itself would: bits below the 53rd are collected into the last one (round to
/// odd).
static double roundToOdd(int64_t value, bool isSigned) {
  bool negative = isSigned && value < 0;
  uint64_t magnitude = negative ? 0 - uint64_t(value) : uint64_t(value);
  unsigned extra = 0;
  while (magnitude >> extra >> 53)
    ++extra;
  uint64_t kept = magnitude >> extra;
  if (kept << extra != magnitude)
    kept |= 1;
  double result = double(kept) * double(uint64_t(1) << extra);
  return negative ? -result : result;
}

/// A float type's element from a double.
static void storeFloat(HostTensor &output, int64_t index, double value,
                       const CastOptions &options) {
  ElementType type = output.type();
  if (type == ElementType::F8E8M0)
    output.bytes()[index] = encodeScale(static_cast<float>(value),
                                        options.saturate, options.rounding);
  else if (isSmallFloat(type))
    output.bytes()[index] = encodeSmallFloat(
        type, value, options.saturate ? Overflow::Saturate : Overflow::Special);
  else
    output.setFromDouble(index, value);
}

static void floatToInteger(HostTensor &output, int64_t index, double value) {
  if (integerBits(output.type()) >= 8) {
    output.setFromDouble(index, value);
    return;
  }
  constexpr double kSafe = 9007199254740992.0; // every such double is an int64
  bool fits = std::fabs(value) <= kSafe;       // false for NaN
  storeInteger(output.bytes() + index, output.type(),
               fits ? int64_t(value) : 0);
}

void castElements(const HostTensor &input, HostTensor &output,
                  const CastOptions &options) {
  assert(input.elements() == output.elements());
  ElementType from = input.type(), to = output.type();
  size_t fromBytes = elementBytes(from), toBytes = elementBytes(to);
  if (from == to) {
    if (input.sizeBytes())
      std::memcpy(output.bytes(), input.bytes(), input.sizeBytes());
    return;
  }
  for (int64_t i = 0, n = input.elements(); i < n; ++i) {
    if (isFloatType(from)) {
      double value = input.toDouble(i);
      if (isFloatType(to))
        storeFloat(output, i, value, options);
      else
        floatToInteger(output, i, value);
      continue;
    }
    int64_t value = loadInteger(input.bytes() + size_t(i) * fromBytes, from);
    if (!isFloatType(to))
      storeInteger(output.bytes() + size_t(i) * toBytes, to, value);
    else if (to == ElementType::F64)
      output.as<double>()[i] =
          isSignedType(from) ? double(value) : double(uint64_t(value));
    else
      storeFloat(output, i, roundToOdd(value, isSignedType(from)), options);
  }
}

} // namespace weft::numeric
