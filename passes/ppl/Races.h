//===- Races.h - functions of kernels without an order ---------*- C++ -*-===//

#ifndef WEFT_PASSES_PPL_RACES_H
#define WEFT_PASSES_PPL_RACES_H

#include "dialects/ppl/Function.h"
#include "dialects/ppl/Net.h"

#include <vector>

namespace weft::ppl {

/// Two functions that touch the same bytes, one of them writing, although the
/// kernel lets them run at the same time.
struct Race {
  mlir::Operation *first, *second;
  std::string_view firstSlot, secondSlot;
  /// The blocks that run them; equal for engines of one region.
  size_t firstBlock = 0, secondBlock = 0;
};

/// Functions of different engines in one region of parallel_start and
/// parallel_end: one race for each pair of lines.
std::vector<Race> findEngineRaces(NetOp net, const Chip &chip);

/// Functions of different blocks in global memory and L2 with no sync()
/// between them: one race for each pair of lines. What an index list or a mask
/// chooses is not looked at, nor programs in which messages are waited for.
std::vector<Race> findBlockRaces(llvm::ArrayRef<NetOp> nets, const Chip &chip);

/// A function that waits for a message, null if there is none.
mlir::Operation *findMessageWait(llvm::ArrayRef<NetOp> nets);

} // namespace weft::ppl

#endif // WEFT_PASSES_PPL_RACES_H
