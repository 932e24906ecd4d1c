//===- Einsum.h - Einstein sums as products and reductions ------*- C++ -*-===//

#ifndef WEFT_FRONTEND_ONNX_EINSUM_H
#define WEFT_FRONTEND_ONNX_EINSUM_H

#include "frontend/onnx/NodeImporter.h"

namespace weft::onnx {

/// Einsum-12 ..: operands are contracted from left to right, each pair as one
/// batched matrix product.
mlir::LogicalResult importEinsum(NodeImporter &n);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_EINSUM_H
