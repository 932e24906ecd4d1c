/// The float mode of the machine: subnormal numbers count as zeros.
///
/// Every fp32 operation of the machine reads a subnormal operand as a zero of
/// its sign and gives such a zero for a tiny result (after rounding). That is
/// what x86 calls DAZ and FTZ; the vendor's emulator switches both on when it
/// starts, so its results change with it bit for bit. fp16 numbers keep their
/// subnormals: widened to fp32 they are normal.
#ifndef WEFT_RUNTIME_EMULATOR_FLOATMODE_H
#define WEFT_RUNTIME_EMULATOR_FLOATMODE_H

#include <cstdint>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace weft::emulator {

/// While it lives, float operations of the calling thread flush subnormals.
/// Each thread that computes for a command needs its own.
class FlushSubnormals {
public:
  FlushSubnormals() : before(get()) { put(before | kFlush); }
  ~FlushSubnormals() { put(before); }
  FlushSubnormals(const FlushSubnormals &) = delete;
  FlushSubnormals &operator=(const FlushSubnormals &) = delete;

private:
#if defined(__SSE__)
  static constexpr uint32_t kFlush = 0x8040; // FTZ, DAZ
  static uint32_t get() { return _mm_getcsr(); }
  static void put(uint32_t mode) { _mm_setcsr(mode); }
  uint32_t before;
#elif defined(__aarch64__)
  // FZ flushes operands and results; it decides before rounding what is tiny,
  // so a result that rounds up to 2^-126 differs there.
  static constexpr uint64_t kFlush = uint64_t(1) << 24;
  static uint64_t get() {
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
  }
  static void put(uint64_t mode) {
    __asm__ volatile("msr fpcr, %0" : : "r"(mode));
  }
  uint64_t before;
#else
#error "this processor needs its way to flush subnormal floats"
#endif
};

} // namespace weft::emulator

#endif
