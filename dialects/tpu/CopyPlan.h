//===- CopyPlan.h - strided copies as DMA commands --------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_COPYPLAN_H
#define WEFT_DIALECTS_TPU_COPYPLAN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace weft {
struct Chip;
}

namespace weft::tpu {

/// One axis of a copy: how many elements, and how far apart (in elements) they
/// lie on either side. `from` is 0 where one element is repeated, and negative
/// where the source is read backwards; `to` is positive.
struct CopyAxis {
  int64_t size, from, to;
};

/// A copy between two dense DRAM tensors, any number of axes, outermost first;
/// the offsets (in elements) are where the first element lies.
struct StridedCopy {
  int64_t source = 0, result = 0;
  llvm::SmallVector<CopyAxis, 4> axes;
};

/// Most commands that the copies of one op may become.
inline constexpr int64_t kMaxCopyCommands = 16384;

/// How many DMA commands `copy` becomes for elements of `elementBytes`; more
/// than `kMaxCopyCommands` stand for "too many".
int64_t copyCommands(const Chip &chip, unsigned elementBytes,
                     const StridedCopy &copy);

/// Calls `emit` with one copy a DMA command, together the whole of `copy`: each
/// has exactly four axes that a command can have, the innermost with a step of
/// at most `chip.maxDmaStepBytes`. Only for copies of which `copyCommands` says
/// that they are at most `kMaxCopyCommands`.
void eachCopyCommand(const Chip &chip, unsigned elementBytes,
                     const StridedCopy &copy,
                     llvm::function_ref<void(const StridedCopy &)> emit);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_COPYPLAN_H
