//===- UnusedTensors.h - results that go nowhere ---------------*- C++ -*-===//

#ifndef WEFT_PASSES_PPL_UNUSEDTENSORS_H
#define WEFT_PASSES_PPL_UNUSEDTENSORS_H

#include "dialects/ppl/Function.h"
#include "dialects/ppl/Net.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace weft::ppl {

/// Functions all of whose results lie in tensors that the compiler places and
/// that no function of any block reads: one for each line.
std::vector<mlir::Operation *>
findUnreadResults(llvm::ArrayRef<NetOp> nets,
                  llvm::function_ref<bool(uint64_t)> isOfTest);

} // namespace weft::ppl

#endif // WEFT_PASSES_PPL_UNUSEDTENSORS_H
