//===- Constant.h - tpu ops of the Constant family ---*- C++ -*-===//

#ifndef WEFT_DIALECTS_TPU_CONSTANT_H
#define WEFT_DIALECTS_TPU_CONSTANT_H

#include "dialects/ConstantBlobs.h"
#include "dialects/tpu/Tpu.h"

#define GET_OP_CLASSES
#include "dialects/tpu/Constant.h.inc"

namespace weft::tpu {

/// Largest weight that is written out in the IR's text.
inline constexpr size_t kDenseWeightBytes = 256;

/// The attribute of a `tpu.weight`: `raw` holds the little-endian elements in
/// row-major order. Small weights are dense and readable in text, larger ones
/// resources, which MLIR neither hashes nor copies.
mlir::ElementsAttr weightAttr(mlir::RankedTensorType type,
                              llvm::ArrayRef<char> raw);

/// The same of elements that it takes over.
template <typename T>
mlir::ElementsAttr weightAttr(mlir::RankedTensorType type,
                              std::vector<T> values) {
  llvm::ArrayRef<char> raw(reinterpret_cast<const char *>(values.data()),
                           values.size() * sizeof(T));
  if (raw.size() <= kDenseWeightBytes)
    return weightAttr(type, raw);
  std::string name = blobName("weight", raw);
  return mlir::DenseResourceElementsAttr::get(type, name,
                                              blobOf(std::move(values)));
}

/// The same elements as `value`, of a `tpu.weight`, under a shape of as many.
mlir::ElementsAttr reshapedWeight(mlir::ElementsAttr value,
                                  mlir::RankedTensorType type);

/// Whether `constantBytes` has them.
bool hasBytes(mlir::ElementsAttr attr);

/// `value`, of a `tpu.weight` that has bytes, in parts of `rows` along `axis`,
/// the outermost that is not 1; the last one has the rest. Those of a resource
/// are the same memory.
llvm::SmallVector<mlir::ElementsAttr>
partsOfWeight(mlir::ElementsAttr value, unsigned axis, int64_t rows);

/// The little-endian elements of a dense or resource constant in row-major
/// order, a splat expanded. std::nullopt if the attribute holds no such bytes
/// (a resource that was never loaded).
std::optional<std::vector<char>> constantBytes(mlir::ElementsAttr attr);

/// The same without a copy, as long as the constant has them; not of a splat
/// that is kept as one element. They may lie anywhere, not aligned.
std::optional<llvm::ArrayRef<char>> constantView(mlir::ElementsAttr attr);

/// Bytes of a constant where they are, or of a splat in `expanded`.
struct WeightBytes {
  llvm::ArrayRef<char> bytes;
  std::vector<char> expanded;
};

/// The bytes of the `tpu.weight` behind `operand` of `op`; fails with an error
/// if it is none.
mlir::FailureOr<WeightBytes> weightView(mlir::Operation *op,
                                        mlir::Value operand);
/// A copy of them.
mlir::FailureOr<std::vector<char>> weightBytes(mlir::Operation *op,
                                               mlir::Value operand);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_CONSTANT_H
