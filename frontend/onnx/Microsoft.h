//===- Microsoft.h - what rows of com.microsoft share -----------*- C++ -*-===//

#ifndef WEFT_FRONTEND_ONNX_MICROSOFT_H
#define WEFT_FRONTEND_ONNX_MICROSOFT_H

#include "frontend/onnx/Compose.h"
#include "frontend/onnx/OpRows.h"

namespace weft::onnx {

inline constexpr llvm::StringLiteral kMicrosoftDomain = "com.microsoft";

/// The first result of standard operator `name` (its form at `opset`) of
/// `operands` with the attributes of the node and `more`; null if that has
/// reported a problem, at the node.
mlir::Value standardOp(NodeImporter &n, llvm::StringRef name, int64_t opset,
                       llvm::ArrayRef<mlir::Value> operands,
                       std::vector<NodeAttribute> more = {});

/// QGemm, beside the other products of integers. (MatMul.cpp)
mlir::LogicalResult importQGemm(NodeImporter &n);
/// MatMulIntegerToFloat and DynamicQuantizeMatMul. (MatMul.cpp)
mlir::LogicalResult importMatMulToFloat(NodeImporter &n);
mlir::LogicalResult importDynamicQuantizeMatMul(NodeImporter &n);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_MICROSOFT_H
