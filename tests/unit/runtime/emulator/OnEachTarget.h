//===- OnEachTarget.h - tests on every instruction set ----------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_RUNTIME_EMULATOR_ONEACHTARGET_H
#define WEFT_TESTS_UNIT_RUNTIME_EMULATOR_ONEACHTARGET_H

#include "runtime/emulator/kernels/Simd.h"

#include <gtest/gtest.h>

#include <string>

namespace weft::emulator {

/// Runs a test on one instruction set, whatever the processor has above it.
class OnEachTarget : public testing::TestWithParam<SimdTarget> {
protected:
  void SetUp() override {
    capSimdTarget(GetParam());
    if (simdTarget() != GetParam())
      GTEST_SKIP() << "this processor has no " << simdTargetName(GetParam());
  }
  void TearDown() override { capSimdTarget(SimdTarget::Avx512Vnni); }
};

inline std::string targetName(const testing::TestParamInfo<SimdTarget> &info) {
  return simdTargetName(info.param);
}

} // namespace weft::emulator

#define WEFT_ON_EACH_TARGET(suite)                                             \
  INSTANTIATE_TEST_SUITE_P(                                                    \
      Targets, suite,                                                          \
      testing::Values(SimdTarget::Portable, SimdTarget::Avx2,                  \
                      SimdTarget::Avx512, SimdTarget::Avx512Vnni),             \
      targetName)

#endif // WEFT_TESTS_UNIT_RUNTIME_EMULATOR_ONEACHTARGET_H
