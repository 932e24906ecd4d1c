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

/// The same of a dense tensor of `dims`.
Dims denseSteps(const Dims &dims);

/// The order of a turn that does both.
llvm::SmallVector<int64_t, 4> orderOfBoth(PermuteOp first, PermuteOp second);

/// How far elements of the result of `turn` that are neighbours along n, c, h,
/// w lie apart in its operand, dense in DRAM: what a load that turns steps by.
Dims loadSteps(PermuteOp turn);
/// The same of its operand in its result, for a store that turns.
Dims storeSteps(PermuteOp turn);

/// A part of a tensor in bands that lies in one band, and where the image has
/// it.
struct BandPart {
  Box inBands, inImage;
};
/// What `piece`, of a tensor in bands with `channels` channels a band, has of
/// the image, band by band; with `onlyOwn` without the rows that other bands
/// own.
llvm::SmallVector<BandPart> bandPartsOf(BandsAttr bands, int64_t channels,
                                        const Box &piece, bool onlyOwn);

/// A part of the result of a `tpu.row_phases` that one channel of the image
/// gives.
struct RowPhasesPart {
  Box inPhases;
  /// Where DRAM has it: c counts rows of the dense image, and neighbours lie
  /// `rowPhaseSteps` apart.
  Box inRows;
};
/// What `piece` of the result consists of, channel by channel of the image.
llvm::SmallVector<RowPhasesPart> partsOf(RowPhasesOp op, const Box &piece);
Dims rowPhaseSteps(RowPhasesOp op);

/// The copy that `piece` asks for.
StridedCopy copyOf(PieceAttr piece);

/// A copy from an operand of an op into its result.
struct OperandCopy {
  unsigned operand;
  StridedCopy copy;
};

/// What an op that moves elements within DRAM (concat, slice, permute,
/// bands, row phases, arrange)
/// copies; nothing for other ops.
llvm::SmallVector<OperandCopy> copiesOf(mlir::Operation *op);

/// Bytes in DRAM from the begin of `whole` to the begin of a box of it that
/// lies in one piece; -1 if it does not. The box is whole but along `axis`.
int64_t pieceOffset(mlir::Value whole, unsigned axis, int64_t begin);

/// Where a slice lies in its source in DRAM, if it is one piece of it; else -1.
int64_t sliceOffset(SliceOp slice);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_MOVE_H
