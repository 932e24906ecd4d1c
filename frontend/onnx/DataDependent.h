//===- DataDependent.h - nodes that read values of unknown size -*- C++ -*-===//

#ifndef WEFT_FRONTEND_ONNX_DATADEPENDENT_H
#define WEFT_FRONTEND_ONNX_DATADEPENDENT_H

#include "dialects/top/FoldBudget.h"
#include "frontend/onnx/NodeImporter.h"
#include "frontend/onnx/OpRows.h"

namespace weft::onnx {

/// True if a size of a value depends on data.
bool isDataDependent(mlir::Value value);

/// True of the nodes whose import functions take values of unknown sizes
/// themselves, because they tell or use sizes: Shape, Size and Slice.
bool usesSizes(const Node &node);

/// Imports a node of which an operand has sizes that depend on data, for the
/// host: `row` imports it twice, for the largest sizes and for smaller ones. If
/// both give the same ops with the same attributes, these become host ops whose
/// results have unknown sizes where the two differ; otherwise the node is
/// refused. One value an output in `results`, null for one that `row` does not
/// give.
mlir::LogicalResult importOnHost(const OpRow &row, const Node &node,
                                 int64_t opset, mlir::OpBuilder &builder,
                                 mlir::Location location,
                                 llvm::ArrayRef<mlir::Value> operands,
                                 top::FoldBudget &budget,
                                 llvm::SmallVectorImpl<mlir::Value> &results);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_DATADEPENDENT_H
