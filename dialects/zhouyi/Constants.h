//===- Constants.h - lanes of constant vectors and masks --------*- C++ -*-===//

#ifndef WEFT_DIALECTS_ZHOUYI_CONSTANTS_H
#define WEFT_DIALECTS_ZHOUYI_CONSTANTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace weft::zhouyi {

/// The bytes of all lanes of a constant vector (no mask), lane 0 first, little
/// endian.
std::vector<uint8_t> bytesOf(mlir::DenseElementsAttr vector);
/// One byte a lane, 0 or 1, of a constant mask.
std::vector<uint8_t> lanesOf(mlir::DenseElementsAttr mask);
/// The constant of a vector type with these bytes; a splat if all lanes are
/// equal, so that equal constants are one attribute.
mlir::DenseElementsAttr denseVector(mlir::VectorType type,
                                    llvm::ArrayRef<uint8_t> bytes);
mlir::DenseElementsAttr denseMask(llvm::ArrayRef<uint8_t> lanes,
                                  mlir::MLIRContext *context);
/// The value of a constant; null if it is none.
mlir::DenseElementsAttr constantOf(mlir::Value value);
/// What all lanes of a constant mask are; std::nullopt if they differ or it is
/// none.
std::optional<bool> uniformMask(mlir::Value mask);

} // namespace weft::zhouyi

#endif // WEFT_DIALECTS_ZHOUYI_CONSTANTS_H
