//===- BorderMoves.h - moves that transfers of groups do --------*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_BORDERMOVES_H
#define WEFT_PASSES_TPU_BORDERMOVES_H

#include "mlir/IR/Operation.h"

namespace weft::tpu {

/// Puts `move` (`tpu.arrange`, `tpu.permute`, `tpu.row_phases` or
/// `tpu.to_bands`), which only groups read, into each of them: their loads do
/// it.
void foldIntoLoads(mlir::Operation *move);

/// Puts `move` (`tpu.arrange`, `tpu.permute` or `tpu.from_bands`), which alone
/// reads the result of a group, into that: its store does it.
void foldIntoStore(mlir::Operation *move);

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_BORDERMOVES_H
