#include "runtime/emulator/tiu/Elements.h"

#include "runtime/emulator/FloatOrder.h"
#include "runtime/emulator/tiu/Tiu.h"

namespace weft::emulator::tiu {
namespace {

using numeric::floatBits;
using numeric::floatFromBits;
using numeric::Rounding;
namespace ar = isa::arith;
using ar::isSelect;
using ar::isUnary;
using ar::takesShift;

constexpr uint32_t kSign = 0x80000000u;

float magnitude(float x) { return floatFromBits(floatBits(x) & ~kSign); }

/// Amounts of left shifts count modulo 32; right shifts stop at 63.
unsigned rightShift(int amount) {
  return amount < -63 ? 63 : unsigned(-amount);
}
int64_t shifted(int64_t value, int amount, Rounding rounding) {
  if (amount >= 0)
    return static_cast<int64_t>(static_cast<uint64_t>(value) << (amount & 31));
  return numeric::shiftRightRounded(value, rightShift(amount), rounding);
}

/// The same for a product of two unsigned words, which may need all 64 bits.
uint64_t shiftedProduct(uint64_t value, int amount, Rounding rounding) {
  if (amount >= 0)
    return value << (amount & 31);
  const unsigned right = rightShift(amount);
  const uint64_t remainder = value & ((uint64_t(1) << right) - 1);
  const uint64_t quotient = value >> right;
  return quotient + uint64_t(numeric::roundingIncrement<uint64_t>(
                        rounding, remainder, uint64_t(1) << (right - 1),
                        quotient & 1, false));
}

/// Rotation in a datapath of 32 bits: both amounts count modulo 32, so that
/// turns by more than the width of a narrow type lose bits.
int64_t rotated(int64_t value, int amount, unsigned width) {
  uint64_t mask = (uint64_t(1) << width) - 1;
  uint64_t bits = uint64_t(value) & mask;
  unsigned turn = unsigned(amount < 0 ? -amount : amount);
  unsigned near = turn & 31, far = (width - turn) & 31;
  return int64_t(
      (amount < 0 ? bits >> near | bits << far : bits << near | bits >> far) &
      mask);
}

int64_t countLeading(int64_t x, unsigned func, unsigned width) {
  uint32_t bits = static_cast<uint32_t>(x) << (32 - width);
  if (func == ar::LeadingOnes)
    bits = ~bits;
  unsigned count = bits ? unsigned(__builtin_clz(bits)) : 32;
  return count < width ? count : width;
}

template <class Number, class Operation>
inline void each(Number *out, const Number *a, const Number *b, unsigned n,
                 Operation op) {
  for (unsigned i = 0; i < n; ++i)
    out[i] = op(a[i], b[i]);
}

/// The functions that look at the bits of an operand.
void bitFunction(const ElementOperation &operation, const int64_t *a,
                 const int64_t *b, int64_t *out, unsigned n) {
  using I = int64_t;
  const unsigned width = operation.a.bits();
  const I mask = (I(1) << width) - 1;
  const Rounding rounding = operation.rounding;
  switch (operation.func) {
  case ar::LogicalShift:
    return each(out, a, b, n, [=](I x, I y) {
      return shifted(x & mask, int8_t(y), rounding);
    });
  case ar::ArithShift:
    return each(out, a, b, n,
                [=](I x, I y) { return shifted(x, int8_t(y), rounding); });
  case ar::Rotate:
    return each(out, a, b, n,
                [=](I x, I y) { return rotated(x, int8_t(y), width); });
  default:
    return each(out, a, b, n,
                [&](I x, I) { return countLeading(x, operation.func, width); });
  }
}

WEFT_VECTOR_CLONES
void integerFunction(const ElementOperation &operation, const int64_t *a,
                     const int64_t *b, int64_t chosen, int64_t *out,
                     unsigned n) {
  using I = int64_t;
  switch (operation.func) {
  case ar::Mul:
  case ar::MulSat:
  case ar::MulDoublingHigh:
    return each(out, a, b, n,
                [](I x, I y) { return I(uint64_t(x) * uint64_t(y)); });
  case ar::Not:
    return each(out, a, b, n, [](I x, I) { return ~x; });
  case ar::Add:
  case ar::AddSat:
    return each(out, a, b, n, [](I x, I y) { return x + y; });
  case ar::Sub:
  case ar::SubSat:
    return each(out, a, b, n, [](I x, I y) { return x - y; });
  case ar::Max:
    return each(out, a, b, n, [](I x, I y) { return x > y ? x : y; });
  case ar::Min:
    return each(out, a, b, n, [](I x, I y) { return x < y ? x : y; });
  case ar::And:
    return each(out, a, b, n, [](I x, I y) { return x & y; });
  case ar::Or:
    return each(out, a, b, n, [](I x, I y) { return x | y; });
  case ar::Xor:
    return each(out, a, b, n, [](I x, I y) { return x ^ y; });
  case ar::SelectGreater:
    return each(out, a, b, n, [=](I x, I y) { return x > y ? chosen : 0; });
  case ar::SelectEqual:
    return each(out, a, b, n, [=](I x, I y) { return x == y ? chosen : 0; });
  case ar::SelectLess:
    return each(out, a, b, n, [=](I x, I y) { return x < y ? chosen : 0; });
  case ar::Abs:
    return each(out, a, b, n, [](I x, I) { return x < 0 ? -x : x; });
  default:
    return bitFunction(operation, a, b, out, n);
  }
}

bool saturates(unsigned func) {
  return func == ar::AddSat || func == ar::SubSat || func == ar::MulSat ||
         func == ar::MulDoublingHigh;
}

bool isProduct(unsigned func) {
  return func == ar::Mul || func == ar::MulSat || func == ar::MulDoublingHigh;
}

/// Shifts and saturates products of two unsigned 32-bit numbers.
void finishWideProducts(const ElementOperation &operation, int amount,
                        int64_t *values, unsigned n) {
  uint64_t high = (uint64_t(1) << operation.result.bits()) - 1;
  for (unsigned i = 0; i < n; ++i) {
    uint64_t value = uint64_t(values[i]);
    if (amount > 0 && saturates(operation.func) && value > high)
      value = high + 1;
    value = shiftedProduct(value, amount, operation.rounding);
    if (saturates(operation.func) && value > high)
      value = high;
    values[i] = int64_t(value);
  }
}

WEFT_VECTOR_CLONES
void finishIntegers(const ElementOperation &operation, int amount,
                    int64_t *values, unsigned n) {
  const Rounding rounding = operation.rounding;
  const int64_t low = operation.result.lowest();
  const int64_t high = operation.result.highest();
  auto clamp = [=] {
    for (unsigned i = 0; i < n; ++i)
      values[i] = values[i] < low ? low : (values[i] > high ? high : values[i]);
  };
  // A product shifted to the left saturates as an infinitely wide one, a sum
  // wraps at 64 bits before.
  if (amount > 0 && operation.func == ar::MulSat)
    clamp();
  if (amount > 0)
    for (unsigned i = 0; i < n; ++i)
      values[i] = int64_t(uint64_t(values[i]) << (amount & 31));
  if (amount < 0)
    for (unsigned i = 0; i < n; ++i)
      values[i] =
          numeric::shiftRightRounded(values[i], rightShift(amount), rounding);
  if (saturates(operation.func))
    clamp();
}

/// Which NaN an instruction of the host gives depends on the order in which the
/// compiler passed its operands; this makes it the machine's.
void settleNaNs(const float *a, const float *b, float *out, unsigned n) {
  bool any = false;
  for (unsigned i = 0; i < n; ++i)
    any |= out[i] != out[i];
  if (!any)
    return;
  for (unsigned i = 0; i < n; ++i)
    out[i] = chooseNaN(a[i], b[i], out[i]);
}

/// Products of bf16 numbers just below the smallest normal one.
void settleTinyProducts(const float *a, const float *b, float *out,
                        unsigned n) {
  bool any = false;
  for (unsigned i = 0; i < n; ++i)
    any |= out[i] == 0 && a[i] != 0 && b[i] != 0;
  if (!any)
    return;
  for (unsigned i = 0; i < n; ++i)
    if (out[i] == 0)
      out[i] = tinyBf16Product(a[i], b[i]);
}

/// Subnormals become zeros even where nothing is computed.
inline float flushed(float x) {
  uint32_t bits = floatBits(x);
  return floatFromBits((bits & 0x7f800000u) == 0 ? bits & kSign : bits);
}

/// |x - y| as the machine has it: x - y if x is the larger one, else y - x. For
/// fp32 a difference flushed to zero does not make it the larger one.
void absoluteDifference(Precision precision, const float *a, const float *b,
                        float *out, unsigned n) {
  const bool isFp32 = precision == Precision::Fp32;
  for (unsigned i = 0; i < n; ++i) {
    float difference = a[i] - b[i];
    bool larger = isFp32 ? difference > 0 : a[i] > b[i];
    out[i] = larger ? difference : chooseNaN(b[i], a[i], b[i] - a[i]);
  }
}

WEFT_VECTOR_CLONES
void floatFunction(const ElementOperation &operation, const float *a,
                   const float *b, float *out, unsigned n) {
  switch (operation.func) {
  case ar::Mul:
    return each(out, a, b, n, [](float x, float y) { return x * y; });
  case ar::Add:
    return each(out, a, b, n, [](float x, float y) { return x + y; });
  case ar::Sub:
    return each(out, a, b, n, [](float x, float y) { return x - y; });
  case ar::Max: // equal zeros and a NaN on either side give the second operand
    return each(out, a, b, n,
                [](float x, float y) { return flushed(x > y ? x : y); });
  case ar::Min: // equal zeros give the second operand, a NaN the first
    return each(out, a, b, n,
                [](float x, float y) { return flushed(y <= x ? y : x); });
  case ar::Abs:
    return each(out, a, b, n, [](float x, float) { return magnitude(x); });
  case ar::AbsDiff:
    return absoluteDifference(operation.a.precision, a, b, out, n);
  default:
    return each(out, a, b, n, [&](float x, float y) {
      return quotient(x, y, operation.steps);
    });
  }
}

const char *undefinedInteger(const ElementOperation &o) {
  const bool sameTypes =
      o.a.precision == o.b.precision && o.a.precision == o.result.precision;
  switch (o.func) {
  case ar::Mul:
  case ar::Add:
  case ar::Sub:
  case ar::AddSat:
  case ar::SubSat:
  case ar::MulSat:
  case ar::LogicalShift:
  case ar::ArithShift:
    return nullptr;
  case ar::Not:
  case ar::Abs:
  case ar::MulDoublingHigh:
    return o.a.precision == o.result.precision ? nullptr
                                               : "a result of another type";
  case ar::Max:
  case ar::Min:
    return sameTypes && o.a.isSigned == o.b.isSigned
               ? nullptr
               : "operands of different types or signs";
  case ar::And:
  case ar::Or:
  case ar::Xor:
    return sameTypes ? nullptr : "operands of different types";
  case ar::Rotate:
    return o.a.precision == o.result.precision && o.b.bytes() <= o.a.bytes()
               ? nullptr
               : "a result of another type or too wide an amount";
  case ar::LeadingZeros:
  case ar::LeadingOnes:
    return o.result.bytes() <= o.a.bytes() ? nullptr : "a wider result";
  default:
    return "integer operands";
  }
}

const char *undefinedFloat(const ElementOperation &o) {
  switch (o.func) {
  case ar::Mul:
  case ar::Add:
  case ar::Sub:
  case ar::Max:
  case ar::Min:
  case ar::AbsDiff:
    return o.a.precision == o.b.precision && o.a.precision == o.result.precision
               ? nullptr
               : "floats of different types";
  case ar::Abs:
    return o.a.precision == o.result.precision ? nullptr
                                               : "floats of different types";
  case ar::Div:
    return o.a.precision == Precision::Fp32 &&
                   o.b.precision == Precision::Fp32 &&
                   o.result.precision == Precision::Fp32
               ? nullptr
               : "operands other than fp32";
  default:
    return "float operands";
  }
}

} // namespace

bool resultIsSigned(const ElementOperation &operation) {
  switch (operation.func) {
  case ar::Sub:
  case ar::SubSat:
    return true;
  default:
    return operation.a.isSigned || operation.b.isSigned;
  }
}

const char *undefinedPart(const ElementOperation &o) {
  const bool isFloat = o.a.isFloat();
  if (isSelect(o.func)) {
    if (o.a.precision != o.b.precision)
      return "operands of different types";
    if (!isFloat && o.chosen != o.result.precision)
      return "a chosen value of another type than the result";
    return o.result.bytes() <= o.a.bytes() ? nullptr
                                           : "a result wider than the operands";
  }
  if (!isUnary(o.func) && o.b.isFloat() != isFloat)
    return "an integer and a float operand";
  if (o.result.isFloat() != isFloat)
    return "a result of another kind of number";
  return isFloat ? undefinedFloat(o) : undefinedInteger(o);
}

void integerRow(const ElementOperation &operation, const int64_t *a,
                const int64_t *b, int64_t third, int64_t *out, unsigned count) {
  integerFunction(operation, a, b, third, out, count);
  int amount = 0;
  if (operation.func == ar::MulDoublingHigh)
    amount = 1 - int(operation.a.bits());
  else if (operation.hasShift && takesShift(operation.func))
    amount = static_cast<int8_t>(third);
  if (isProduct(operation.func) && !operation.a.isSigned &&
      !operation.b.isSigned && operation.a.bits() + operation.b.bits() == 64)
    return finishWideProducts(operation, amount, out, count);
  if (amount != 0 || saturates(operation.func))
    finishIntegers(operation, amount, out, count);
}

void floatRow(const ElementOperation &operation, const float *a, const float *b,
              float *out, unsigned count) {
  floatFunction(operation, a, b, out, count);
  if (operation.func == ar::Mul || operation.func == ar::Add ||
      operation.func == ar::Sub)
    settleNaNs(a, b, out, count);
  if (operation.func == ar::Mul && operation.a.precision == Precision::Bf16)
    settleTinyProducts(a, b, out, count);
}

WEFT_VECTOR_CLONES
void floatSelectRow(const ElementOperation &operation, const float *a,
                    const float *b, int64_t chosen, int64_t *out,
                    unsigned count) {
  switch (operation.func) {
  case ar::SelectGreater:
    for (unsigned i = 0; i < count; ++i)
      out[i] = a[i] > b[i] ? chosen : 0;
    return;
  case ar::SelectEqual: // of bits: +0 and -0 differ, a NaN equals itself
    for (unsigned i = 0; i < count; ++i)
      out[i] = floatBits(a[i]) == floatBits(b[i]) ? chosen : 0;
    return;
  default: // neither greater nor equal, so it holds for most NaNs
    for (unsigned i = 0; i < count; ++i)
      out[i] =
          !(a[i] >= b[i]) && floatBits(a[i]) != floatBits(b[i]) ? chosen : 0;
    return;
  }
}

bool keepsBits(unsigned func) {
  return func == ar::Max || func == ar::Min || func == ar::Abs;
}

float reciprocalRoot(float x, unsigned steps) {
  // The shift is arithmetic, which matters for negative x only.
  uint32_t halved =
      static_cast<uint32_t>(static_cast<int32_t>(floatBits(x)) >> 1);
  float r = floatFromBits(0x5f3759dfu - halved);
  float half = 0.5f * x;
  for (unsigned i = 0; i < steps; ++i)
    r = r * (1.5f - (half * r) * r);
  return r;
}

float quotient(float a, float b, unsigned steps) {
  float r = reciprocalRoot(magnitude(b), steps);
  float inverse = r * r;
  // The sign goes to the dividend, which tells for NaNs only.
  float dividend = floatFromBits(floatBits(a) ^ (floatBits(b) & kSign));
  return chooseNaN(inverse, dividend, inverse * dividend);
}

} // namespace weft::emulator::tiu
