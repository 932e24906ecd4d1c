#include "tools/comparison/ZeroFloor.h"

using namespace weft;
using namespace weft::comparison;

/// What one evaluation is off by and another one is not: signs are chance, and
/// a value of few elements has few of them. Of 2000 means of 16 to 1024 numbers
/// around their own mean, 8 at a time, none was off by more than 15 times.
static constexpr double kSpread = 16;

/// Half a step of a number, by precision; of 8-bit codes by the largest one,
/// which is some numbers of a tensor more than their own.
static constexpr double kHalfStep[] = {0x1p-24, 0x1p-11, 0x1p-8, 0x1p-8};

bool comparison::isRoundedZero(double most, double noise) {
  return most <= zeroFloor(Precision::F32, noise);
}

double comparison::zeroFloor(Precision precision, double noise) {
  return kSpread * noise * (kHalfStep[size_t(precision)] / kMeasuredRounding);
}

double comparison::referenceFloor(double end) {
  // Eight steps of f32 below 1. Of ONNX Runtime 1.32 the sigmoid is off by
  // 1.7e-7, the tanh by 3.3e-7.
  constexpr double kEightSteps = 0x1p-21;
  return kEightSteps * end;
}

double comparison::rangeFloor(Precision precision, double end) {
  return kHalfStep[size_t(precision)] * end;
}
