//===- Strings.h - nodes that read or give strings --------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_ONNX_STRINGS_H
#define WEFT_FRONTEND_ONNX_STRINGS_H

#include "frontend/onnx/Importer.h"
#include "frontend/onnx/OpRows.h"

namespace weft::onnx {

/// Bytes that a string of an input may have unless `--shape` gives their number
/// as one size more.
inline constexpr int64_t kStringBytes = 256;

/// Takes the number of bytes of a string off the shape that `--shape` gives an
/// input (`isGiven`), or kStringBytes; nullopt if the input has no strings.
std::optional<int64_t> takeStringBytes(const ValueInfo &input, bool isGiven,
                                       llvm::SmallVectorImpl<int64_t> &shape);

/// ui8.
mlir::Type stringByteType(mlir::MLIRContext *context);

/// Whether an operand or an attribute of a node that has a row for numbers is
/// of strings.
bool concernsStrings(const Node &node, llvm::ArrayRef<Entity> operands);

/// Imports such a node. Operators that only move elements move the numbers 0,
/// 1, .. of the strings, and a host kernel puts the strings in their places;
/// few others are known, the rest is refused.
mlir::LogicalResult importStrings(StructureNode &s, const OpRow &row);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_STRINGS_H
