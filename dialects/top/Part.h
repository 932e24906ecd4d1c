//===- Part.h - columns of a value that no op gives whole -------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_PART_H
#define WEFT_DIALECTS_TOP_PART_H

#include "llvm/ADT/StringRef.h"

namespace weft::top {

/// Discardable attributes on an op that gives some columns (of the last axis)
/// of an ONNX value which no op gives as a whole: its name, and [begin, end).
inline constexpr llvm::StringLiteral kPartOfAttr = "top.part_of",
                                     kColumnsAttr = "top.columns";

} // namespace weft::top

#endif // WEFT_DIALECTS_TOP_PART_H
