//===- Symbols.h - notes on inputs and outputs ------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TOP_SYMBOLS_H
#define WEFT_DIALECTS_TOP_SYMBOLS_H

#include "llvm/ADT/StringRef.h"

namespace weft::top {

/// Attribute of an argument or result of `@main`: the names of its dimensions
/// in the ONNX model, "" for those without; left out if none has one.
inline constexpr llvm::StringLiteral kSymbolsAttr = "top.symbols";

/// Unit attribute of an argument or result of `@main`, a tensor of ui8: they
/// are strings, the last axis has their bytes (runtime/host/Texts.h).
inline constexpr llvm::StringLiteral kStringsAttr = "top.strings";

} // namespace weft::top

#endif // WEFT_DIALECTS_TOP_SYMBOLS_H
