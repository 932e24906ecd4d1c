//===- Move.h - tpu ops of the Move family ----------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_MOVE_H
#define WEFT_DIALECTS_TPU_MOVE_H

#include "dialects/tpu/CopyPlan.h"
#include "dialects/tpu/Group.h"
#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Move.h.inc"

namespace weft::tpu {

/// Distance in elements between neighbours on each axis of a row-major tensor
/// of any rank.
llvm::SmallVector<int64_t> rowMajorSteps(llvm::ArrayRef<int64_t> shape);

/// The copy that `piece` asks for.
StridedCopy copyOf(PieceAttr piece);

/// A copy from an operand of an op into its result.
struct OperandCopy {
  unsigned operand;
  StridedCopy copy;
};

/// What an op that moves elements within DRAM (concat, slice, permute, arrange)
/// copies; nothing for other ops.
llvm::SmallVector<OperandCopy> copiesOf(mlir::Operation *op);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_MOVE_H
