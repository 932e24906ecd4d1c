//===- Exact.h - steps that only f32 computes right -------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_EXACT_H
#define WEFT_DIALECTS_TOP_EXACT_H

#include "llvm/ADT/StringRef.h"

namespace weft::top {

/// Discardable unit attribute on a step of a sequence that counts on the digits
/// and the range of f32 (exact quotients of quantizations at run time): it is
/// computed in f32 at every precision.
inline constexpr llvm::StringLiteral kExactAttr = "top.exact";

} // namespace weft::top

#endif // WEFT_DIALECTS_TOP_EXACT_H
