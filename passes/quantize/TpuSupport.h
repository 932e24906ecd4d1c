//===- TpuSupport.h - which ops the lowering takes -------------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_TPUSUPPORT_H
#define WEFT_PASSES_QUANTIZE_TPUSUPPORT_H

#include "llvm/ADT/StringRef.h"

namespace weft::quantize {

/// Whether --convert-top-to-tpu has something to make of an op. FoldedOnly: the
/// op is a constant by then, which its users read.
enum class TpuSupport { Yes, FoldedOnly, NotYet };

/// The answer of the functions that lower the family `family` of
/// cmake/OpFamilies.cmake, for the ops of kind `kind` (as the text form of the
/// top dialect spells it; "" if the op has no kind). It speaks of float
/// operands; shapes and attributes that a command cannot express are refused
/// where they occur.
TpuSupport tpuSupport(llvm::StringRef family, llvm::StringRef kind);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_TPUSUPPORT_H
