//===- Part.h - values that no op gives as the model has them ---*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_PART_H
#define WEFT_DIALECTS_TOP_PART_H

#include "llvm/ADT/StringRef.h"

namespace weft::top {

/// Discardable attributes on an op that gives some columns (of the last axis)
/// of an ONNX value which no op gives as a whole: its name, and [begin, end).
inline constexpr llvm::StringLiteral kPartOfAttr = "top.part_of",
                                     kColumnsAttr = "top.columns";

/// On an op that gives the named value with its last axis (the channels)
/// second.
inline constexpr llvm::StringLiteral kTurnedAttr = "top.turned";

} // namespace weft::top

#endif // WEFT_DIALECTS_TOP_PART_H
