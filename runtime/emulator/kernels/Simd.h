/// Which instruction set the emulator's kernels use.
///
/// Kernels are written once with Highway and compiled for several targets by
/// its foreach_target.h. The choice among them is made here and not by
/// Highway's library: the installed libraries then need nothing but headers at
/// build time, and a test can cap the choice.
#ifndef WEFT_RUNTIME_EMULATOR_KERNELS_SIMD_H
#define WEFT_RUNTIME_EMULATOR_KERNELS_SIMD_H

namespace weft::emulator {

/// From the least to the most able.
enum class SimdTarget : unsigned char {
  Portable,   ///< any processor; slow on x86-64, NEON on aarch64
  Avx2,       ///< AVX2, FMA, F16C, BMI
  Avx512,     ///< AVX-512 F, BW, CD, DQ, VL
  Avx512Vnni, ///< and VNNI
};
constexpr unsigned kSimdTargets = 4;

/// "portable", "avx2", "avx512", "avx512vnni".
const char *simdTargetName(SimdTarget target);

/// The most able target that this processor has and that is not above the cap.
SimdTarget simdTarget();

/// Caps the choice for the whole program; for tests and measurements. The
/// environment variable WEFT_SIMD with a name above caps it from the start.
/// Results never depend on it.
void capSimdTarget(SimdTarget cap);

} // namespace weft::emulator

#endif
