/// Which NaN a sum of the machine gives.
///
/// The fast kernels decide only whether an output is NaN. Its bits depend on
/// the order of the operands of every operation before it, which compilers may
/// swap; the functions here recompute such an output in the machine's order.
/// The rules are those of x86, on which the vendor's emulator runs: of two NaN
/// operands the first one, made quiet, and 0xffc00000 for an invalid operation
/// on numbers.
#ifndef WEFT_RUNTIME_EMULATOR_FLOATORDER_H
#define WEFT_RUNTIME_EMULATOR_FLOATORDER_H

#include "runtime/emulator/Rows.h"

#include <cstddef>

namespace weft::emulator {

constexpr uint32_t kInvalidBits = 0xffc00000u;

inline bool isNaN(float x) {
  return (numeric::floatBits(x) & 0x7fffffffu) > 0x7f800000u;
}
inline float quieted(float x) {
  return numeric::floatFromBits(numeric::floatBits(x) | 0x00400000u);
}
/// The NaN among the operands of an operation, or its result.
inline float chooseNaN(float first, float second, float result) {
  if (isNaN(first))
    return quieted(first);
  if (isNaN(second))
    return quieted(second);
  return isNaN(result) ? numeric::floatFromBits(kInvalidBits) : result;
}
inline float addOrdered(float first, float second) {
  return chooseNaN(first, second, first + second);
}
inline float multiplyOrdered(float first, float second) {
  return chooseNaN(first, second, first * second);
}

/// A product of two bf16 numbers that fp32 flushed to zero. The machine rounds
/// it to 8 bits before it compares with the smallest normal number.
inline float tinyBf16Product(float x, float y) {
  const double exact = double(x) * double(y);
  if (exact >= 0x1.ffp-127)
    return 0x1p-126f;
  return exact <= -0x1.ffp-127 ? -0x1p-126f : x * y;
}
/// x * y of operands of `precision`, not yet rounded to it.
inline float multiplyOf(Precision precision, float x, float y) {
  float product = multiplyOrdered(x, y);
  return precision == Precision::Bf16 && product == 0 ? tinyBf16Product(x, y)
                                                      : product;
}

/// The two accumulators of the fp32 sums. Term 0 goes to `even`.
struct TwoSums {
  float even = 0, odd = 0;

  /// `inputs` and `weights` are `terms` numbers, their steps apart.
  void add(const float *inputs, size_t inputStep, const float *weights,
           size_t weightStep, size_t terms) {
    for (size_t k = 0; k < terms; ++k) {
      float &sum = k & 1 ? odd : even;
      sum = addOrdered(
          sum, multiplyOrdered(inputs[k * inputStep], weights[k * weightStep]));
    }
  }
};

/// Writes sums of half-precision products: a NaN keeps its sign (0x7fff or
/// 0xffff), where other operations give 0x7fff.
inline void storeSums(uint8_t *to, uint64_t step, Precision precision,
                      const float *from, unsigned count) {
  storeFloats(to, step, precision, from, count);
  if (precision == Precision::Fp32)
    return;
  unsigned negative = 0;
  for (unsigned i = 0; i < count; ++i)
    negative |= numeric::floatBits(from[i]) > 0xff800000u;
  for (unsigned i = 0; negative && i < count; ++i)
    if (isNaN(from[i]) && numeric::floatBits(from[i]) >> 31)
      storeAs<uint16_t>(to + i * step, 0xffff);
}

/// Writes numbers that were chosen, not computed: NaNs keep their payloads.
inline void storeChosen(uint8_t *to, uint64_t step, Precision precision,
                        const float *from, unsigned count) {
  storeFloats(to, step, precision, from, count);
  if (precision == Precision::Fp32)
    return;
  for (unsigned i = 0; i < count; ++i) {
    uint32_t bits = numeric::floatBits(from[i]);
    uint32_t half = (bits >> 16 & 0x8000) | 0x7c00 | (bits >> 13 & 0x3ff);
    if (isNaN(from[i]))
      storeAs(to + i * step,
              static_cast<uint16_t>(precision == Precision::Fp16 ? half
                                                                 : bits >> 16));
  }
}

} // namespace weft::emulator

#endif
