/// The tables that the machine keeps at the start of static memory (isa section
/// 9).
#ifndef WEFT_RUNTIME_NUMERIC_STATICTABLES_H
#define WEFT_RUNTIME_NUMERIC_STATICTABLES_H

#include <array>
#include <cstdint>

namespace weft::numeric {

using StaticTables = std::array<uint32_t, 752>;

/// Computed once from the formulas in double-double arithmetic (about 100
/// correct bits, plain IEEE double operations only), so the words do not depend
/// on the local libm.
const StaticTables &staticTables();

} // namespace weft::numeric

#endif
