//===- ArrangeParts.h - arranged rows as transfers of a group ---*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_ARRANGEPARTS_H
#define WEFT_DIALECTS_TPU_ARRANGEPARTS_H

#include "dialects/tpu/Move.h"

namespace weft::tpu {

/// A part of a `tpu.arrange` that a load or a store of a group moves.
struct ArrangePart {
  unsigned piece; ///< of the op, to which it belongs
  Box inLanes;
  int64_t offset; ///< of its first element in DRAM, in elements
  Dims steps;     ///< how many elements neighbours lie apart there
};

/// The pieces of `op` where a load does it, whose lanes get the result, or a
/// store, whose lanes hold the operand. std::nullopt where they are not boxes
/// of whole rows (w) there, one for each row of the result, or where there is
/// more to do than to copy from one operand.
std::optional<llvm::SmallVector<ArrangePart>> transferParts(ArrangeOp op,
                                                            bool isLoad);

/// What those of them have of `tile`, a box of the tensor in the lanes. Only
/// for an op that has transferParts.
llvm::SmallVector<ArrangePart> partsIn(ArrangeOp op, bool isLoad,
                                       const Box &tile);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_ARRANGEPARTS_H
