/// Bytes to the pairs of int16 that kernels/Products.h multiplies.
#ifndef WEFT_RUNTIME_EMULATOR_KERNELS_PAIRS_H
#define WEFT_RUNTIME_EMULATOR_KERNELS_PAIRS_H

#include <cstddef>
#include <cstdint>

namespace weft::emulator {

/// `low` in the low half.
inline int32_t pairOf(int32_t low, int32_t high) {
  return int32_t(uint32_t(high) << 16 | (uint32_t(low) & 0xffffu));
}

/// to[i] = pairOf(first[i * step], second[i * step]); zeros where `second` is
/// nullptr.
void pairBytes(const uint8_t *first, const uint8_t *second, uint64_t step,
               bool isSigned, int32_t *to, size_t count);

/// to[i] = from[i * step] - zeroPoint.
void widenBytes(const uint8_t *from, uint64_t step, bool isSigned,
                int16_t zeroPoint, int16_t *to, size_t count);

} // namespace weft::emulator

#endif
