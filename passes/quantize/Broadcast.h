//===- Broadcast.h - 4-D views of element-wise operations -------*- C++ -*-===//
//
// ONNX broadcasts tensors of any rank. A command has four axes, repeats an
// operand of size 1 along n, h and w, and never along c, whose elements lie in
// different lanes. The views here collapse what broadcasts alike; what no view
// can express is repeated by tpu.arrange, or on the host for a constant.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_PASSES_QUANTIZE_BROADCAST_H
#define WEFT_PASSES_QUANTIZE_BROADCAST_H

#include "passes/quantize/Lowering.h"

namespace weft::quantize {

/// How the operands of one element-wise op lie beside its result.
struct BroadcastViews {
  /// 4-D view of the result.
  llvm::SmallVector<int64_t, 4> result;
  /// The ONNX shape of the result after collapsing: at most 4 axes are those of
  /// `result`, more are collapsed but need expanded operands.
  llvm::SmallVector<int64_t> collapsed;
  /// The shape of each operand on the axes of `collapsed`: equal or 1.
  llvm::SmallVector<llvm::SmallVector<int64_t>, 3> operands;
};

/// Views for operands of the ONNX shapes `operands` that broadcast to `result`.
/// Up to rank 4 the result keeps its standard view.
BroadcastViews broadcastViews(llvm::ArrayRef<int64_t> result,
                              llvm::ArrayRef<llvm::ArrayRef<int64_t>> operands);

/// Operand `number` of `views`, the top value `topValue`, in `element`, as a
/// 4-D value that a command can broadcast to the result: equal in c, or with
/// one channel if the op `repeatsChannels`. Refused or reported at `user` if a
/// constant does not fit.
Answer<mlir::Value> broadcastOperand(const BroadcastViews &views,
                                     unsigned number, mlir::Value topValue,
                                     mlir::Type element, mlir::Operation *user,
                                     Lowering &lowering,
                                     bool repeatsChannels = false);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_BROADCAST_H
