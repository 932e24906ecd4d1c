//===- OldForms.h - operators as opsets 1 to 6 had them ---------*- C++ -*-===//

#ifndef WEFT_FRONTEND_ONNX_OLDFORMS_H
#define WEFT_FRONTEND_ONNX_OLDFORMS_H

#include "frontend/onnx/NodeImporter.h"

namespace weft::onnx {

/// The opset whose form `upgradeNode` gives.
constexpr int64_t kUpgradedOpset = 7;

/// Brings a node of ONNX's own domain from an opset below 7 to the form of
/// opset 7: attributes of `node`, and `operands` that change with them. Reports
/// through `n` and fails if there is no such form.
mlir::LogicalResult upgradeNode(NodeImporter &n, Node &node,
                                llvm::SmallVectorImpl<mlir::Value> &operands);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_OLDFORMS_H
