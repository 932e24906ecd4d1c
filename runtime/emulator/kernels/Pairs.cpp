#include "runtime/emulator/kernels/Pairs.h"

#include "runtime/emulator/kernels/Simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/kernels/Pairs.cpp"
#include "runtime/emulator/kernels/SimdTargets.inc"

HWY_BEFORE_NAMESPACE();
namespace weft::emulator::HWY_NAMESPACE {

// Plain loops: the compiler turns them into vectors of each target.
template <class Byte>
HWY_INLINE void pairs(const Byte *first, const Byte *second, uint64_t step,
                      int32_t *to, size_t count) {
  if (step == 1 && second)
    for (size_t i = 0; i < count; ++i)
      to[i] = pairOf(first[i], second[i]);
  else
    for (size_t i = 0; i < count; ++i)
      to[i] = pairOf(first[i * step], second ? second[i * step] : 0);
}

void pairBytesOn(const uint8_t *first, const uint8_t *second, uint64_t step,
                 bool isSigned, int32_t *to, size_t count) {
  if (isSigned)
    pairs(reinterpret_cast<const int8_t *>(first),
          reinterpret_cast<const int8_t *>(second), step, to, count);
  else
    pairs(first, second, step, to, count);
}

template <class Byte>
HWY_INLINE void widen(const Byte *from, uint64_t step, int16_t zeroPoint,
                      int16_t *to, size_t count) {
  if (step == 1)
    for (size_t i = 0; i < count; ++i)
      to[i] = int16_t(from[i] - zeroPoint);
  else
    for (size_t i = 0; i < count; ++i)
      to[i] = int16_t(from[i * step] - zeroPoint);
}

void widenBytesOn(const uint8_t *from, uint64_t step, bool isSigned,
                  int16_t zeroPoint, int16_t *to, size_t count) {
  if (isSigned)
    widen(reinterpret_cast<const int8_t *>(from), step, zeroPoint, to, count);
  else
    widen(from, step, zeroPoint, to, count);
}

} // namespace weft::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::emulator {

void pairBytes(const uint8_t *first, const uint8_t *second, uint64_t step,
               bool isSigned, int32_t *to, size_t count) {
  WEFT_SIMD_CALL(pairBytesOn)(first, second, step, isSigned, to, count);
}

void widenBytes(const uint8_t *from, uint64_t step, bool isSigned,
                int16_t zeroPoint, int16_t *to, size_t count) {
  WEFT_SIMD_CALL(widenBytesOn)(from, step, isSigned, zeroPoint, to, count);
}

} // namespace weft::emulator
#endif
