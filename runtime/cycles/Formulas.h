//===- Formulas.h - the cost formulas by kind of command ------*- C++ -*-===//
//
// Internal to runtime/cycles. Every formula takes a decoded command and gives
// cycles; docs/cycles.md writes them out and says how each was checked.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CYCLES_FORMULAS_H
#define WEFT_RUNTIME_CYCLES_FORMULAS_H

#include "runtime/cycles/Cycles.h"

#include <initializer_list>

namespace weft::cycles::detail {

/// The formula of a row of a CostTable.
enum class Formula : uint8_t {
  Conv,
  Window,
  MatMul,
  MatMul2,
  Arith,
  Shift,
  Copy,
  Divide,
  Quant,
  Transpose,
  LaneCopy,
  LaneBroadcast,
  StaticBroadcast,
  StaticDistribute,
  GatherByIndex,
  GatherByElement,
  GatherPerLane,
  MaskPerLane,
  GatherLine,
  ScatterLine,
  Taylor,
  Rsqrt,
  Plain,
  Compare,
  Outer,
  Tensor,
  TensorBroadcast,
  Matrix,
  Elements,
  General,
  NonZero,
  Gather,
};

/// Constants of the formulas, each a chip's own.
struct CostConstants {
  uint64_t diagonalStepPasses;
  uint64_t divideBasePasses, dividePassesPerIteration;
  uint64_t rsqrtPasses;
  uint64_t comparePasses;
  uint64_t conflictPasses;
  uint64_t perLaneGatherHalfCycles, perLaneMaskCycles;
  uint64_t linePasses;
  uint64_t transposeNumerator, transposeDenominator;
  uint64_t transposedPlaneBytes;
};
const CostConstants &constantsOf(const Chip &chip);

/// The product, at most kMostCycles.
uint64_t product(std::initializer_list<uint64_t> factors);

/// value / by, rounded up; 0 if `by` is 0.
constexpr uint64_t ceilDiv(uint64_t value, uint64_t by) {
  return by == 0 ? 0 : value / by + (value % by != 0);
}

/// Bytes of an element as the cost model counts them: int4 like int8, codes
/// that name no type like fp32.
unsigned costBytes(uint64_t precision);

/// Cycles of a TIU command.
uint64_t tiuCycles(Formula formula, const isa::Decoded &command,
                   const Chip &chip);
/// Multiply-accumulate steps of a TIU command; 0 where it has none.
uint64_t tiuMacs(Formula formula, const isa::Decoded &command);

/// What a GDMA command moves between.
Direction gdmaDirection(const isa::Decoded &command, const Chip &chip);
/// Bytes that a GDMA command moves, each element once, a broadcast's source
/// once.
uint64_t gdmaBytes(Formula formula, const isa::Decoded &command);
/// Cycles of a GDMA command.
uint64_t gdmaCycles(Formula formula, const isa::Decoded &command,
                    Direction direction, const Chip &chip);

} // namespace weft::cycles::detail

#endif // WEFT_RUNTIME_CYCLES_FORMULAS_H
