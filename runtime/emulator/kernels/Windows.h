/// What pooling and depthwise convolution compute for one channel: lanes are
/// output pixels, a term is the input at one kernel position.
#ifndef WEFT_RUNTIME_EMULATOR_KERNELS_WINDOWS_H
#define WEFT_RUNTIME_EMULATOR_KERNELS_WINDOWS_H

#include "runtime/emulator/kernels/Products.h"
#include "runtime/isa/Codes.h"

namespace weft::emulator {

/// The terms of lane f are vectors[offsets[k] + f]; lanes as in Products.h.
template <class T>
struct WindowTerms {
  const T *vectors = nullptr;
  const uint32_t *offsets = nullptr;
  size_t terms = 0;
  size_t lanes = 0;
};

/// Two accumulators as in FloatProducts without an old value, but every product
/// and every sum is rounded to fp16 or bf16; the final addition is not. `even`
/// is the start of the sum that term 0 goes to; `sums` holds the other's and
/// becomes the result. Which NaN a NaN is does not follow the machine.
void roundedProducts(const WindowTerms<float> &terms, const float *scalars,
                     isa::Precision precision, float even, float *sums);

/// The machine's maximum: starts at `lowest`, and a term replaces what it is
/// not less than. So the last of equal zeros wins, and a NaN stays until the
/// next term. Subnormals are kept.
void largestFloats(const WindowTerms<float> &terms, float lowest,
                   float *results);
void largestIntegers(const WindowTerms<int32_t> &terms, int32_t *results);

} // namespace weft::emulator

#endif
