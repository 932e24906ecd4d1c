//===- Floats.h - ops of an int8 program that are floats --------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_FLOATS_H
#define WEFT_DIALECTS_TOP_FLOATS_H

#include "llvm/ADT/StringRef.h"

namespace weft::top {

/// Discardable unit attribute on an op of a graph that becomes an int8 program:
/// it is computed as a program of precision f16 computes it, because that takes
/// fewer cycles. Products of the graph's own integers stay such.
inline constexpr llvm::StringLiteral kFloatsAttr = "top.floats";

} // namespace weft::top

#endif // WEFT_DIALECTS_TOP_FLOATS_H
