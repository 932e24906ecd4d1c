//===- Sums.h - how the machine adds products -----------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PPL_SUMS_H
#define WEFT_RUNTIME_PPL_SUMS_H

#include "runtime/numeric/Rounding.h"
#include "runtime/ppl/Interpreter.h"

/// Arithmetic that convolution, matrix products and pooling share. Floats of 32
/// bits have no subnormal numbers: an operand that is one counts as a zero of
/// its sign, so does a result.
namespace weft::catalog {

/// x, or a zero of its sign if x is subnormal.
float flushed(float x);
float addFlushed(float a, float b);
float multiplyFlushed(float a, float b);

/// Sums of floats whose terms go to two accumulators in turn; every product
/// and every sum rounds to `type`.
class AlternatingSum {
public:
  AlternatingSum(DataType type, float even, float odd)
      : type(type), sums{even, odd} {}
  void add(float x, float weight);
  float result() const;

private:
  DataType type;
  float sums[2];
  unsigned next = 0;
};

/// The same of `count` fp32 products.
float alternatingSum(const float *x, const float *weights, int64_t count,
                     float even, float odd);

/// One step of the dot unit: exact products of 16- or 8-bit floats, cut toward
/// zero to 24 fraction bits below the exponent of the largest, added exactly
/// and rounded to fp32. An infinity hides the NaNs beside it; both infinities,
/// or NaNs alone, give the NaN 0xffc00000. At most 64 products.
float blockSum(const float *x, const float *weights, int64_t count);

/// `value` rounded to a float type (nearest, ties to even) as a float.
float roundedTo(DataType type, float value);
/// Stores a sum; a NaN of 16 bits is 0x7fff with its sign.
void storeSum(Dense &dense, int64_t index, float sum);

/// `value` modulo 2^32, signed or not.
inline int64_t wrapped(int64_t value, bool isSigned) {
  return isSigned ? int64_t(int32_t(uint32_t(value)))
                  : int64_t(uint32_t(value));
}
/// `value` in the range of an integer type; `isSymmetric`: a signed one begins
/// at its minimum + 1.
int64_t saturatedTo(DataType type, int64_t value, bool isSymmetric = false);

/// multiplier, shift and zero point of conv_*_rq and mm2.
struct Requantisation {
  int64_t multiplier, shift, offset;
  numeric::Rounding rounding;
  bool isSymmetric;

  /// As the call says; the names are those of its slots.
  Requantisation(const Call &call, std::string_view shift,
                 std::string_view offset, std::string_view rounding);

  /// From the two words of a channel (PPL 4.6.4).
  void unpack(uint32_t first, uint32_t second) {
    multiplier = int32_t(first);
    shift = int8_t(uint8_t(second));
    offset = int16_t(uint16_t(second >> 16));
  }
  /// `sum` is a 32-bit number.
  int64_t apply(int64_t sum, DataType type) const;
};

/// The old contents that a call with result_add adds to: `accumulator` if they
/// have another type than the result.
const Dense &accumulatorOf(const Values &values, std::string_view result);

} // namespace weft::catalog

#endif // WEFT_RUNTIME_PPL_SUMS_H
