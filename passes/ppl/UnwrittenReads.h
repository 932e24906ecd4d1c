//===- UnwrittenReads.h - reads of what nothing wrote ----------*- C++ -*-===//

#ifndef WEFT_PASSES_PPL_UNWRITTENREADS_H
#define WEFT_PASSES_PPL_UNWRITTENREADS_H

#include "passes/ppl/WrittenBytes.h"

#include "dialects/ppl/Function.h"
#include "dialects/ppl/Net.h"

#include <vector>

namespace weft::ppl {

/// Global memory that holds nothing before the program: [begin, end).
struct FreshRange {
  uint64_t begin, end;
};

/// A function of a program, by its number among the functions of the block.
struct FunctionPlace {
  size_t block = 0, number = 0;
};

/// A function that reads bytes which no function before it has certainly
/// written.
struct UnwrittenRead {
  mlir::Operation *function;
  FunctionPlace place;
  std::string_view slot;
  mlir::Value tensor, root;
  Unwritten missing;
  /// The first function that names the root, at whose operand `firstOperand`
  /// it stands.
  FunctionPlace firstUse;
  unsigned firstOperand = 0;
};

/// The reads of a recorded program, at most one for each tensor: `nets` are
/// what its blocks run, between two barriers one block after the other. What is
/// written where the data say (by scatter, nonzero, gather with indices out of
/// range) counts as not written, and of what is read where the data say all
/// counts as read; so a read that is found need not matter.
std::vector<UnwrittenRead> findUnwrittenReads(llvm::ArrayRef<NetOp> nets,
                                              llvm::ArrayRef<FreshRange> fresh,
                                              const Chip &chip);

/// Whether a function only writes the places of a tensor in `slot` that its
/// data say, and leaves the others as they are.
bool writesByData(const FunctionOp &function, const catalog::Slot &slot);

} // namespace weft::ppl

#endif // WEFT_PASSES_PPL_UNWRITTENREADS_H
