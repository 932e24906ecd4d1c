//===- CostRows.h - a chip's table of costs -------------------*- C++ -*-===//
//
// For runtime/cycles, the chips that have such a table (runtime/chips),
// and the tests, which check every claim of a row against the vendor's figures.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CYCLES_COSTROWS_H
#define WEFT_RUNTIME_CYCLES_COSTROWS_H

#include "runtime/cycles/Formulas.h"

#include <string>
#include <vector>

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

/// A row of a CostTable.
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

} // namespace weft::cycles::detail

namespace weft::cycles {

/// Which formula prices which instruction of a chip, and who vouches for it.
struct CostTable {
  const detail::CostRow *rows;
  size_t rowCount;
  const detail::FurtherClaim *furtherClaims;
  size_t claimCount;
  detail::CostConstants constants;
  /// kinNamesOf() of this table: made once.
  const std::vector<std::string> &(*kinNames)();

  const detail::CostRow *begin() const { return rows; }
  const detail::CostRow *end() const { return rows + rowCount; }
};

namespace detail {
inline constexpr unsigned kPrecisions = unsigned(isa::Precision::Int4) + 1;

/// `arith.add fp16`, for every row and precision: row * kPrecisions + code.
std::vector<std::string> kinNamesOf(const CostTable &table,
                                    const isa::InstructionSet &instructions);
} // namespace detail

} // namespace weft::cycles

#endif // WEFT_RUNTIME_CYCLES_COSTROWS_H
