/// sAR: casts and copies.
#include "runtime/emulator/FloatOrder.h"
#include "runtime/emulator/tiu/Arith.h"

namespace weft::emulator::tiu {
namespace {

using numeric::Rounding;

/// Casts look at the bits, so that subnormals count here: the smallest normal
/// number of their sign rounds as they do.
float counted(float value) {
  const uint32_t bits = numeric::floatBits(value);
  if ((bits & 0x7f800000u) != 0 || (bits & 0x7fffffffu) == 0)
    return value;
  return numeric::floatFromBits((bits & 0x80000000u) | 0x00800000u);
}

/// True if a number with the fraction `part` after an odd or even whole number
/// moves away from zero.
bool movesAway(Rounding rounding, float part, bool odd, bool negative) {
  switch (rounding) {
  case Rounding::HalfToEven:
    return part > 0.5f || (part == 0.5f && odd);
  case Rounding::HalfAwayFromZero:
    return part >= 0.5f;
  case Rounding::TowardZero:
    return false;
  case Rounding::Floor:
    return negative && part > 0;
  case Rounding::Ceil:
    return !negative && part > 0;
  case Rounding::HalfUp:
    return part > 0.5f || (part == 0.5f && !negative);
  case Rounding::HalfDown:
    return part > 0.5f || (part == 0.5f && negative);
  }
  return false;
}

/// A cast to the same float type rounds to whole numbers of the same sign;
/// infinities and NaNs stay as they are.
float roundedToWhole(float value, Rounding rounding) {
  const uint32_t bits = numeric::floatBits(value);
  if ((bits & 0x7fffffffu) >= 0x4b000000u) // 2^23
    return value;
  const bool negative = bits >> 31;
  float magnitude =
      numeric::floatFromBits(numeric::floatBits(counted(value)) & 0x7fffffffu);
  const int32_t whole = static_cast<int32_t>(magnitude);
  const float part = magnitude - static_cast<float>(whole);
  const bool away = movesAway(rounding, part, whole & 1, negative);
  const uint32_t rounded = numeric::floatBits(static_cast<float>(whole + away));
  return numeric::floatFromBits(rounded | (bits & 0x80000000u));
}

/// fp32 -> half or bf16 bits. NaNs keep their sign, and a float from 2^16 up is
/// an infinite fp16 under any code, unlike an integer. Ties of codes 5 and 6
/// count in magnitude, unless they come from int32.
uint16_t narrowed(float value, Precision precision, Rounding rounding,
                  Precision source) {
  const uint32_t bits = numeric::floatBits(value);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000u);
  const bool fromFloat = isa::isFloat(source);
  if (source == Precision::Int32) // already rounded to fp32 with this code
    ;
  else if (rounding == Rounding::HalfUp)
    rounding = Rounding::HalfAwayFromZero;
  else if (rounding == Rounding::HalfDown && sign)
    rounding = Rounding::HalfUp;
  if (isNaN(value))
    return sign | numeric::kNaN16;
  if ((bits & 0x7f800000u) == 0) // a zero, also where the code is ceil
    return sign;
  if (precision == Precision::Bf16)
    return numeric::floatToBf16(value, rounding);
  return fromFloat && (bits & 0x7fffffffu) >= 0x47800000u
             ? static_cast<uint16_t>(sign | 0x7c00u)
             : numeric::floatToHalf(value, rounding);
}

/// Writes floats with a rounding other than that of the arithmetic.
void storeRounded(uint8_t *to, uint64_t step, Precision precision,
                  const float *from, unsigned count, Rounding rounding,
                  Precision source) {
  if (precision == Precision::Fp32)
    return storeFloats(to, step, precision, from, count);
  for (unsigned i = 0; i < count; ++i)
    storeAs(to + i * step, narrowed(from[i], precision, rounding, source));
}

/// An fp16 NaN widens to all ones.
void settleWidenedNaNs(float *values, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (isNaN(values[i]))
      values[i] =
          numeric::floatFromBits(numeric::floatBits(values[i]) | 0x7fffffffu);
}

Status checkCast(const Decoded &c, const ElementKind &from,
                 const ElementKind &to, Rounding rounding) {
  if (rounding > Rounding::Ceil && from.isFloat() && !to.isFloat())
    return failf(
        Code::BadCommand,
        "cast from float with rounding code %u; the machine has 0 to 4",
        unsigned(rounding));
  if (from.isFloat() && to.isFloat() && from.bytes() == 2 && to.bytes() == 2 &&
      from.precision != to.precision)
    return unsupported(c,
                       "fp16 and bf16 operands; the machine casts over fp32");
  return Status::ok();
}

} // namespace

Status cast(const Decoded &c, const ArithCommand &arith) {
  const ElementKind from = arith.a.kind, to = arith.operation.result;
  const Rounding rounding = arith.operation.rounding;
  WEFT_TRY(checkCast(c, from, to, rounding));
  int64_t integers[kRowElements];
  float floats[kRowElements];
  // int32 is rounded to bf16 at once, other integers are exact in fp32.
  const bool atOnce =
      from.precision == Precision::Int32 && to.precision == Precision::Bf16;
  const unsigned digits = atOnce ? 8 : 24;
  const int64_t low = to.lowest(), high = to.highest();
  if (from.isFloat())
    arith.a.fill(floats);
  else
    arith.a.fill(integers);
  eachRun(arith, [&](uint32_t, uint32_t, uint8_t *out, const uint8_t *in,
                     const uint8_t *, unsigned count) {
    const uint64_t step = arith.resultView.stride.w;
    if (in && from.isFloat())
      loadFloats(in, arith.a.view.stride.w, from.precision, floats, count);
    else if (in)
      loadIntegers(in, arith.a.view.stride.w, from, integers, count);
    if (from.isFloat() && from.precision == to.precision) {
      float whole[kRowElements];
      for (unsigned i = 0; i < count; ++i)
        whole[i] = roundedToWhole(floats[i], rounding);
      return storeChosen(out, step, to.precision, whole, count);
    }
    if (from.precision == Precision::Fp16 && to.isFloat())
      settleWidenedNaNs(floats, count);
    if (from.isFloat() && to.isFloat())
      return storeRounded(out, step, to.precision, floats, count, rounding,
                          from.precision);
    if (to.isFloat()) {
      for (unsigned i = 0; i < count; ++i)
        floats[i] = numeric::integerToFloat(integers[i], rounding, digits);
      return storeRounded(out, step, to.precision, floats, count, rounding,
                          from.precision);
    }
    int64_t whole[kRowElements];
    for (unsigned i = 0; i < count; ++i)
      whole[i] = from.isFloat() ? numeric::roundToInteger(counted(floats[i]),
                                                          rounding, low, high)
                                : numeric::clampTo(integers[i], low, high);
    storeIntegers(out, step, to.precision, whole, count);
  });
  return Status::ok();
}

Status copy(const Decoded &c, const ArithCommand &arith) {
  const unsigned bytes = arith.resultView.bytes;
  if (arith.a.kind.precision != arith.operation.result.precision)
    return unsupported(c, "a result of another type");
  eachRun(arith, [&](uint32_t, uint32_t, uint8_t *out, const uint8_t *in,
                     const uint8_t *, unsigned count) {
    const auto *constant = reinterpret_cast<const uint8_t *>(&arith.a.constant);
    copyElements(out, arith.resultView.stride.w, in ? in : constant,
                 in ? arith.a.view.stride.w : 0, bytes, count);
  });
  return Status::ok();
}

} // namespace weft::emulator::tiu
