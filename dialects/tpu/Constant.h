//===- Constant.h - tpu ops of the Constant family ---*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_CONSTANT_H
#define WEFT_DIALECTS_TPU_CONSTANT_H

#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Constant.h.inc"

namespace weft::tpu {

/// The attribute of a `tpu.weight`: `raw` holds the little-endian elements in
/// row-major order. Small weights are dense and readable in text, larger ones
/// resources, which MLIR neither hashes nor copies.
mlir::ElementsAttr weightAttr(mlir::RankedTensorType type,
                              llvm::ArrayRef<char> raw);

/// The same elements as `value`, of a `tpu.weight`, under a shape of as many.
mlir::ElementsAttr reshapedWeight(mlir::ElementsAttr value,
                                  mlir::RankedTensorType type);

/// The little-endian elements of a dense or resource constant in row-major
/// order, a splat expanded. std::nullopt if the attribute holds no such bytes
/// (a resource that was never loaded).
std::optional<std::vector<char>> constantBytes(mlir::ElementsAttr attr);

/// The bytes of the `tpu.weight` behind `operand` of `op`; fails with an error
/// if it is none.
mlir::FailureOr<std::vector<char>> weightBytes(mlir::Operation *op,
                                               mlir::Value operand);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_CONSTANT_H
