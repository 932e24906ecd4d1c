//===- FloatArithmetic.h - float operations of the TIU ---------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PPL_EVALUATE_FLOATARITHMETIC_H
#define WEFT_RUNTIME_PPL_EVALUATE_FLOATARITHMETIC_H

#include "runtime/numeric/BitCast.h"
#include "runtime/numeric/Rounding.h"
#include "runtime/ppl/Interpreter.h"

/// Single operations as docs/numbers.md describes them, in any float mode of
/// the host: fp32 subnormals count as zeros of their sign and results below
/// the normal numbers become such zeros; of two NaNs the first one stays, made
/// quiet; an invalid operation gives 0xffc00000.
namespace weft::catalog::floats {

using numeric::floatBits;
using numeric::floatFromBits;

inline constexpr uint32_t kSignBit = 0x80000000u;

inline bool isNaN(float x) { return (floatBits(x) & ~kSignBit) > 0x7f800000u; }
/// A subnormal as a zero of its sign.
inline float flushed(float x) {
  uint32_t bits = floatBits(x);
  return floatFromBits((bits & 0x7f800000u) == 0 ? bits & kSignBit : bits);
}
inline float magnitude(float x) {
  return floatFromBits(floatBits(x) & ~kSignBit);
}

float add(float a, float b);
float subtract(float a, float b);
float multiply(float a, float b);
/// a * b of numbers of `type`, which for bf16 is rounded to 8 bits before it is
/// flushed.
float multiply(DataType type, float a, float b);

/// The element as fp32, exact; NaNs keep their payload.
float load(const Dense &values, int64_t index);
/// Stores a computed number: rounded to the nearest, ties to even; a NaN of 16
/// bits is 0x7fff.
void store(Dense &values, int64_t index, float value);
/// As `store`, with the largest finite number instead of infinity.
void storeSaturated(Dense &values, int64_t index, float value);
/// `value` rounded to `type` and widened again.
float rounded(DataType type, float value);

/// The conversions of tiu::cast: to fp32, exact, an fp16 NaN becomes all ones;
/// and from fp32 to fp32, fp16 or bf16 by `mode`, NaNs as 0x7fff with their
/// sign, from 2^16 on infinite in fp16.
float widened(const Dense &values, int64_t index);
void narrow(Dense &values, int64_t index, float value, numeric::Rounding mode);
/// A 16-bit float from an exact number, rounded once by `mode`.
uint16_t halfOf(double value, DataType type, numeric::Rounding mode);

/// 1/sqrt(x) by `steps` of Newton's iteration from a guess made of bits.
float reciprocalRoot(float x, int64_t steps);
float quotient(float a, float b, int64_t steps);
/// Horner's rule, each operation rounded to `type`.
float polynomial(DataType type, const std::vector<float> &coefficients,
                 float x);
/// x rounded to a whole number; the sign, infinities and NaNs stay. `mode` is a
/// rounding_mode_t.
double wholeNumber(double x, int64_t mode);

} // namespace weft::catalog::floats

#endif // WEFT_RUNTIME_PPL_EVALUATE_FLOATARITHMETIC_H
