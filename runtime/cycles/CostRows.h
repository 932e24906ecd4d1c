//===- CostRows.h - the rows of CostRows.def ------------------*- C++ -*-===//
//
// Internal to runtime/cycles and to its tests, which check every claim of a row
// against the vendor's figures.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CYCLES_COSTROWS_H
#define WEFT_RUNTIME_CYCLES_COSTROWS_H

#include "runtime/cycles/Formulas.h"

namespace weft::cycles::detail {

constexpr unsigned bit(isa::Precision precision) {
  return 1u << static_cast<unsigned>(precision);
}
constexpr unsigned bit(Direction direction) {
  return 1u << static_cast<unsigned>(direction);
}

/// What speaks for a formula of a function: with these precisions and, for the
/// DMA engine, in these directions (every pair of the two). 0: nothing.
struct Claim {
  uint8_t precisions = 0;
  uint8_t directions = 0;
};

/// A row of CostRows.def.
struct CostRow {
  isa::Engine engine;
  uint8_t type, func;
  Formula formula;
  Claim measured; ///< by the vendor's timelines
  int8_t kinFunc; ///< of the same type; kOtherType: the engine's commonest
  Claim probed;   ///< by the vendor's encoder library
};

/// What also speaks for the formula of a DMA function, beyond its row.
struct FurtherClaim {
  uint8_t type, func;
  Claim measured;
};

inline constexpr int8_t kOtherType = -1;

namespace table {
using namespace isa; // the names of Codes.h, as CostRows.def has them

constexpr unsigned kI8 = bit(Precision::Int8), kI16 = bit(Precision::Int16),
                   kI32 = bit(Precision::Int32), kF16 = bit(Precision::Fp16),
                   kF32 = bit(Precision::Fp32), kBf16 = bit(Precision::Bf16);
constexpr unsigned kLoad = bit(Direction::GlobalToLocal),
                   kStore = bit(Direction::LocalToGlobal),
                   kGlobalCopy = bit(Direction::GlobalToGlobal),
                   kLocalCopy = bit(Direction::LocalToLocal);
constexpr unsigned kNone = 0;
constexpr unsigned kFloats = kF16 | kF32 | kBf16;
constexpr unsigned kIntegers = kI8 | kI16 | kI32;
/// For the DMA engine, which only moves: one type for each width.
constexpr unsigned kWidths = kI8 | kF16 | kF32;
constexpr unsigned kEveryWay = kLoad | kStore | kGlobalCopy | kLocalCopy;

inline constexpr CostRow rows[] = {
#define WEFT_COST_TIU(type, func, formula, measured, kinFunc, probed)          \
  {Engine::Tiu,                                                                \
   static_cast<uint8_t>(TiuType::type),                                        \
   func,                                                                       \
   Formula::formula,                                                           \
   {(measured), 0},                                                            \
   kinFunc,                                                                    \
   {(probed), 0}},
#define WEFT_COST_GDMA(type, func, formula, measured, directions, kinFunc,     \
                       probed, probedDirections)                               \
  {Engine::Gdma,                                                               \
   static_cast<uint8_t>(GdmaType::type),                                       \
   func,                                                                       \
   Formula::formula,                                                           \
   {(measured), (directions)},                                                 \
   kinFunc,                                                                    \
   {(probed), (probedDirections)}},
#include "runtime/cycles/CostRows.def"
};

inline constexpr FurtherClaim furtherClaims[] = {
#define WEFT_COST_GDMA_ALSO(type, func, measured, directions)                  \
  {static_cast<uint8_t>(GdmaType::type), func, {(measured), (directions)}},
#include "runtime/cycles/CostRows.def"
};
} // namespace table

using table::furtherClaims;
using table::rows;

} // namespace weft::cycles::detail

#endif // WEFT_RUNTIME_CYCLES_COSTROWS_H
