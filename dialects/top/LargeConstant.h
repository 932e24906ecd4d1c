//===- LargeConstant.h - constants that are left where they are -*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_LARGECONSTANT_H
#define WEFT_DIALECTS_TOP_LARGECONSTANT_H

#include <cstdint>

namespace weft::top {

/// A constant matrix of so many elements is not turned before it is known that
/// its reader will not turn it back: a copy of it counts in the memory of the
/// compiler. Smaller ones are folded at once.
inline constexpr int64_t kLargeElements = 1 << 18;

} // namespace weft::top

#endif // WEFT_DIALECTS_TOP_LARGECONSTANT_H
