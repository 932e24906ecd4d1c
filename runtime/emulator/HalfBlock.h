/// One step of the half-precision multiplier, by its definition.
#ifndef WEFT_RUNTIME_EMULATOR_HALFBLOCK_H
#define WEFT_RUNTIME_EMULATOR_HALFBLOCK_H

#include <cstddef>

namespace weft::emulator {

/// Channels that the half-precision unit adds in one step (isa section 7).
constexpr unsigned kHalfBlock = 32;

/// The sum of `used` (at most kHalfBlock) products of fp16 or bf16 numbers,
/// `stride` apart in `vectors`: each an fp32 number, which underflows and
/// overflows as such; aligned to the largest exponent, cut toward zero below 24
/// fraction bits, summed exactly and rounded once to fp32. In a block with an
/// infinity its NaNs do not count; both infinities, or NaNs alone, give the NaN
/// 0xffc00000.
float halfBlockSum(const float *scalars, const float *vectors, size_t stride,
                   unsigned used);

} // namespace weft::emulator

#endif
