//===- Memory.h - ppl ops of Memory.td ---------------------------------*- C++
//-*-===//

#ifndef WEFT_DIALECTS_PPL_MEMORY_H
#define WEFT_DIALECTS_PPL_MEMORY_H

#include "dialects/ppl/Ppl.h"

namespace weft::ppl {

/// On the op of a tensor in global memory that the kernel language made for a
/// result nobody asked for yet (dma::nonzero's count): without another use it
/// need not be written.
inline constexpr llvm::StringLiteral kScratchAttribute = "scratch";

/// Discardable attribute of `ppl.local`: the number of the part of the program
/// that the tensor is of.
inline constexpr llvm::StringLiteral kStepAttr = "ppl.step";

} // namespace weft::ppl

#define GET_OP_CLASSES
#include "dialects/ppl/Memory.h.inc"

#endif // WEFT_DIALECTS_PPL_MEMORY_H
