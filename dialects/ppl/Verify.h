//===- Verify.h - rules that ppl ops share --------------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_PPL_VERIFY_H
#define WEFT_DIALECTS_PPL_VERIFY_H

#include "dialects/ppl/TensorLayout.h"

namespace weft::ppl {

/// True for f32 and i32 operands (constants), false for tensors.
inline bool isScalar(mlir::Value value) {
  return !mlir::isa<TensorViewType>(value.getType());
}

/// The tensor type of an operand; null for a scalar or a missing operand.
inline TensorViewType tensorOf(mlir::Value value) {
  return value ? mlir::dyn_cast<TensorViewType>(value.getType())
               : TensorViewType();
}

/// True for 8-bit integers, signed or not.
bool isInt8(TensorViewType type);
bool isInteger(TensorViewType type);

/// (E1) (E3) (E4) of TiuArith.td for `dst` and each of `sources` (scalars and
/// null allowed).
mlir::LogicalResult verifyElementOperands(mlir::Operation *op,
                                          TensorViewType dst,
                                          mlir::ArrayRef<mlir::Value> sources);

/// `name` must have one of the layouts.
mlir::LogicalResult expectLayout(mlir::Operation *op, llvm::StringRef name,
                                 TensorViewType type,
                                 mlir::ArrayRef<Layout> allowed);
/// `name` must have this shape.
mlir::LogicalResult expectShape(mlir::Operation *op, llvm::StringRef name,
                                TensorViewType type,
                                mlir::ArrayRef<int64_t> shape);
/// Both must have one element type.
mlir::LogicalResult expectSameElements(mlir::Operation *op,
                                       llvm::StringRef nameA, TensorViewType a,
                                       llvm::StringRef nameB, TensorViewType b);
/// value in [low, high]
mlir::LogicalResult expectRange(mlir::Operation *op, llvm::StringRef name,
                                int64_t value, int64_t low, int64_t high);
/// A per-channel operand: 1xCx1x1, compact.
mlir::LogicalResult expectPerChannel(mlir::Operation *op, llvm::StringRef name,
                                     TensorViewType type, int64_t channels);

} // namespace weft::ppl

#endif // WEFT_DIALECTS_PPL_VERIFY_H
