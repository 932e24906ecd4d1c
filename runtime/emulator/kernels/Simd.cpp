#include "runtime/emulator/kernels/Simd.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace weft::emulator {
namespace {

constexpr const char *kNames[kSimdTargets] = {"portable", "avx2", "avx512",
                                              "avx512vnni"};

/// What Highway's targets assume (its detect_targets.h), asked of the
/// processor and of the operating system.
SimdTarget supportedTarget() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
              __builtin_cpu_supports("f16c") &&
              __builtin_cpu_supports("lzcnt") &&
              __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("aes");
  if (!avx2)
    return SimdTarget::Portable;
  bool avx512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (!avx512)
    return SimdTarget::Avx2;
  return __builtin_cpu_supports("avx512vnni") ? SimdTarget::Avx512Vnni
                                              : SimdTarget::Avx512;
#else
  return SimdTarget::Portable;
#endif
}

SimdTarget capFromEnvironment() {
  const char *name = std::getenv("WEFT_SIMD");
  for (unsigned i = 0; name && i < kSimdTargets; ++i)
    if (std::strcmp(name, kNames[i]) == 0)
      return SimdTarget(i);
  return SimdTarget::Avx512Vnni;
}

SimdTarget lesser(SimdTarget a, SimdTarget b) { return a < b ? a : b; }

SimdTarget supported() {
  static const SimdTarget target = supportedTarget();
  return target;
}

std::atomic<SimdTarget> &chosen() {
  static std::atomic<SimdTarget> target{
      lesser(supported(), capFromEnvironment())};
  return target;
}

} // namespace

const char *simdTargetName(SimdTarget target) {
  return kNames[unsigned(target)];
}

SimdTarget simdTarget() { return chosen().load(std::memory_order_relaxed); }

void capSimdTarget(SimdTarget cap) { chosen() = lesser(supported(), cap); }

} // namespace weft::emulator
