/// The sums of products of the convolution and matrix units, many outputs at a
/// time.
///
/// An output block is kVector outputs that share their scalar operands.
/// `scalars[k]` meets `vectors[k * kVector + j]`: a weight and the pixels of 32
/// outputs, or a pixel and the weights of 32 output channels. Multiplication
/// commutes, so one kernel serves both. The order of terms is that of k in
/// every kernel; each has a scalar reference with the same contract.
#ifndef WEFT_RUNTIME_EMULATOR_DOTKERNELS_H
#define WEFT_RUNTIME_EMULATOR_DOTKERNELS_H

#include <cstddef>
#include <cstdint>

namespace weft::emulator {

constexpr unsigned kVector = 32;

/// Channels that the half-precision unit adds in one step (isa section 7).
constexpr unsigned kHalfBlock = 32;

/// fp32: products rounded, added alternately to two accumulators; term 0 goes
/// to `first`.
void dotFloat(const float *scalars, const float *vectors, size_t terms,
              float *first, float *second);
void dotFloatReference(const float *scalars, const float *vectors, size_t terms,
                       float *first, float *second);

/// Half-precision products in blocks of kHalfBlock terms, of which only the
/// first `used(b)` count: `tailUsed` in the last `tailBlocks` blocks,
/// kHalfBlock in the others. A block's exact products are aligned to the
/// largest exponent, cut toward zero below 24 fraction bits, summed exactly and
/// rounded once to fp32; blocks are added to `sum` in order. A product is an
/// fp32 number, which underflows and overflows as such. In a block with an
/// infinity its NaNs do not count; both infinities, or NaNs alone, give the NaN
/// 0xffc00000.
struct HalfBlocks {
  size_t blocks = 0;
  size_t tailBlocks = 0;
  unsigned tailUsed = kHalfBlock;
};
/// Operands are fp16 values: every product is exact in fp32.
void dotFp16(const float *scalars, const float *vectors,
             const HalfBlocks &blocks, float *sum);
/// Operands are bf16 values: products are exact in fp32 within its range.
void dotBf16(const float *scalars, const float *vectors,
             const HalfBlocks &blocks, float *sum);
/// The reference of both.
void dotHalfReference(const float *scalars, const float *vectors,
                      const HalfBlocks &blocks, float *sum);
/// One block of `used` terms, `stride` apart in `vectors`.
float halfBlockSum(const float *scalars, const float *vectors, size_t stride,
                   unsigned used);

/// Integers of at most 10 bits, exact.
void dotInteger(const int16_t *scalars, const int16_t *vectors, size_t terms,
                int64_t *sum);
void dotIntegerReference(const int16_t *scalars, const int16_t *vectors,
                         size_t terms, int64_t *sum);

} // namespace weft::emulator

#endif
