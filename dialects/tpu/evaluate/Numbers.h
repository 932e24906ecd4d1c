//===- Numbers.h - rounding and loading for the evaluators ------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_EVALUATE_NUMBERS_H
#define WEFT_DIALECTS_TPU_EVALUATE_NUMBERS_H

#include "dialects/Evaluate.h"
#include "dialects/tpu/Tpu.h"
#include "runtime/numeric/Rounding.h"
#include "runtime/numeric/TensorValues.h"

namespace weft::tpu {

using numeric::HostTensor;
using Operands = llvm::ArrayRef<const HostTensor *>;
using Results = llvm::SmallVectorImpl<HostTensor>;

/// `value` rounded half to even to f32, f16 or bf16; 16-bit types by way of
/// f32, as a machine cast.
float roundTo(mlir::Type element, double value);

/// Range of the stored integers of a quantized element or integer type.
struct IntegerRange {
  int64_t low, high;
  int64_t clamp(int64_t value) const {
    return numeric::clampTo(value, low, high);
  }
};
IntegerRange rangeOf(mlir::Type element);

/// The machine's rounding code of the attribute.
numeric::Rounding machineRounding(Rounding rounding);

/// rq1: (value * multiplier) >> rshift rounded, clipped to 32 bits, plus
/// `zeroPoint`, clipped to `range` (PPL 4.6.7).
int64_t requantize(int64_t value, int64_t multiplier, int64_t rshift,
                   Rounding rounding, IntegerRange range,
                   int64_t zeroPoint = 0);

/// Adds a tensor of the type of `value` to `results` and stores floats in it
/// that already have its precision.
void storeFloats(mlir::Value value, const std::vector<float> &floats,
                 Results &results);
/// The same for integers inside the range of the type.
void storeStored(mlir::Value value, const std::vector<int64_t> &integers,
                 Results &results);

/// Row-major element strides of a 4-D tensor, 0 along axes of size 1 that
/// `result` stretches.
llvm::SmallVector<int64_t, 4> broadcastStrides(mlir::Value operand,
                                               llvm::ArrayRef<int64_t> result);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_EVALUATE_NUMBERS_H
