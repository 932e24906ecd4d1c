//===- Cast.h - lanes into another element type -----------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_ZHOUYI_CAST_H
#define WEFT_RUNTIME_ZHOUYI_CAST_H

#include "runtime/catalog/Catalog.h"

namespace weft::zhouyi {

/// Converts `lanes` elements at `from` to others at `to`, which lie apart:
/// - a float rounds to the nearest float, ties to even; overflow is infinity,
///   NaN the canonical NaN (choice NanIsCanonical);
/// - an integer rounds to the nearest float, ties to even;
/// - a float becomes an integer by dropping the fraction, then is clamped to
/// the
///   type's range; NaN becomes 0;
/// - an integer becomes another by its low bits, sign- or zero-extended first;
/// - the same type: the same bits.
using CastLanes = void (*)(const uint8_t *from, uint8_t *to, unsigned lanes);

/// nullptr if one of the types is none of kAnyElement.
CastLanes castOf(catalog::DataType from, catalog::DataType to);

} // namespace weft::zhouyi

#endif // WEFT_RUNTIME_ZHOUYI_CAST_H
