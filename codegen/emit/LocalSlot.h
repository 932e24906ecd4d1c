//===- LocalSlot.h - local tensors from placements --------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_EMIT_LOCALSLOT_H
#define WEFT_CODEGEN_EMIT_LOCALSLOT_H

#include "codegen/emit/Emit.h"

namespace weft::emit {

ppl::Layout machineLayout(tpu::LocalLayout layout);

/// The local tensor in buffer `number` for the slice of `point`, `offset` bytes
/// into it, from lane `lane` on: in a loop a rotating buffer where the contents
/// change.
mlir::Value makeSlot(mlir::OpBuilder &builder, mlir::Location loc,
                     const GroupSchedule &schedule, const SlicePoint &point,
                     size_t number, ppl::TensorViewType type, int64_t lane,
                     int64_t offset = 0);

/// The whole local tile of value `value`.
mlir::Value makeTile(mlir::OpBuilder &builder, mlir::Location loc,
                     const GroupSchedule &schedule, const SlicePoint &point,
                     int value);

/// The tile of input `value` in every lane, a channel each.
mlir::Value makeRepeated(mlir::OpBuilder &builder, mlir::Location loc,
                         const GroupSchedule &schedule, const SlicePoint &point,
                         int value);

/// Elements between neighbours along n, c, h and w of `piece` of an aligned
/// local tensor; at most catalog::kMostStride on axes where it has but one.
llvm::SmallVector<int64_t, 4> pieceStrides(ppl::TensorViewType whole,
                                           const Chip &chip,
                                           const tpu::Box &piece);

/// `piece` of the tile `tensor` that holds box `tile`, by explicit strides.
mlir::Value makePiece(mlir::OpBuilder &builder, mlir::Location loc,
                      const Chip &chip, mlir::Value tensor,
                      const tpu::Box &tile, const tpu::Box &piece);

} // namespace weft::emit

#endif // WEFT_CODEGEN_EMIT_LOCALSLOT_H
