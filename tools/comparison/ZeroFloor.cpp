#include "tools/comparison/ZeroFloor.h"

using namespace weft;
using namespace weft::comparison;

/// What one evaluation is off by and another one is not: signs are chance, and
/// a value of few elements has few of them. Of 2000 means of 16 to 1024 numbers
/// around their own mean, 8 at a time, none was off by more than 15 times.
static constexpr double kSpread = 16;

bool comparison::isRoundedZero(double most, double noise) {
  constexpr double kHalfStepF32 = 0x1p-24;
  return most <= kSpread * noise * (kHalfStepF32 / kMeasuredRounding);
}

double comparison::zeroFloor(Precision precision, double noise) {
  // Half a step of a number; of 8-bit codes by the largest one, which is some
  // numbers of a tensor more than their own.
  constexpr double kHalfStep[] = {0x1p-24, 0x1p-11, 0x1p-8, 0x1p-8};
  return kSpread * noise * (kHalfStep[size_t(precision)] / kMeasuredRounding);
}

double comparison::referenceFloor(double end) {
  // Eight steps of f32 below 1. Of ONNX Runtime 1.32 the sigmoid is off by
  // 1.7e-7, the tanh by 3.3e-7.
  constexpr double kEightSteps = 0x1p-21;
  return kEightSteps * end;
}

double comparison::rangeFloor(Precision precision, double end) {
  constexpr double kStep[] = {0x1p-24, 0x1p-11, 0x1p-8, 0x1p-8};
  return kStep[size_t(precision)] * end;
}
