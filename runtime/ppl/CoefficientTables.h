//===- CoefficientTables.h - tables of static memory ----------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PPL_COEFFICIENTTABLES_H
#define WEFT_RUNTIME_PPL_COEFFICIENTTABLES_H

#include "runtime/catalog/Catalog.h"

namespace weft::catalog {

/// `coeff_table_mode_t` of the integers 0 to 63.
inline constexpr int64_t kSerialNumberTable = 30;

/// Where a table lies in static memory.
struct CoefficientTable {
  unsigned byte;  ///< of the first entry
  unsigned count; ///< entries
};
/// The table of a `coeff_table_mode_t` with entries of a type; std::nullopt if
/// static memory has none. SERIAL_NUMBER is int32; EXP, LOG, SIN and COS have
/// fp32, fp16 and bf16, the others fp32.
std::optional<CoefficientTable> coefficientTable(int64_t mode, DataType type);
/// Bits of the first `count` entries.
std::vector<uint32_t> coefficients(const CoefficientTable &table, DataType type,
                                   unsigned count);

} // namespace weft::catalog

#endif // WEFT_RUNTIME_PPL_COEFFICIENTTABLES_H
