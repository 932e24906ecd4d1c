//===- Compose.h - chains of top ops for one ONNX node ----------*- C++ -*-===//
//
// Operators without an op of their own become chains of primitive top ops. The
// chain is written as an expression: a step that fails has been reported, gives
// a null Value, and every step on a null Value is null, so that only the end of
// the chain is checked (`finish`). A step whose operands are constant is
// folded.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_ONNX_COMPOSE_H
#define WEFT_FRONTEND_ONNX_COMPOSE_H

#include "dialects/top/Kinds.h"
#include "frontend/onnx/NodeImporter.h"

namespace weft::onnx {

class Compose {
public:
  explicit Compose(NodeImporter &node) : n(node) {}

  NodeImporter &n;

  //===--- shapes and constants -------------------------------------------===//
  static llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
    return NodeImporter::typeOf(value).getShape();
  }
  static mlir::Type elementOf(mlir::Value value) {
    return NodeImporter::typeOf(value).getElementType();
  }
  /// A constant of `shape` with `values` rounded to `element` (any float or
  /// integer type); one value fills the whole shape.
  mlir::Value numbers(llvm::ArrayRef<double> values,
                      llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// A scalar in the element type of `like`.
  mlir::Value number(double value, mlir::Value like);

  //===--- element-wise ---------------------------------------------------===//
  mlir::Value binary(top::BinaryKind kind, mlir::Value lhs, mlir::Value rhs);
  mlir::Value unary(top::UnaryKind kind, mlir::Value value);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs) {
    return binary(top::BinaryKind::Add, lhs, rhs);
  }
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs) {
    return binary(top::BinaryKind::Sub, lhs, rhs);
  }
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs) {
    return binary(top::BinaryKind::Mul, lhs, rhs);
  }
  mlir::Value max(mlir::Value lhs, mlir::Value rhs) {
    return binary(top::BinaryKind::Max, lhs, rhs);
  }
  mlir::Value min(mlir::Value lhs, mlir::Value rhs) {
    return binary(top::BinaryKind::Min, lhs, rhs);
  }
  // The same with a number in the element type of `lhs`.
  mlir::Value add(mlir::Value lhs, double rhs) {
    return add(lhs, like(rhs, lhs));
  }
  mlir::Value sub(mlir::Value lhs, double rhs) {
    return sub(lhs, like(rhs, lhs));
  }
  mlir::Value mul(mlir::Value lhs, double rhs) {
    return mul(lhs, like(rhs, lhs));
  }
  mlir::Value max(mlir::Value lhs, double rhs) {
    return max(lhs, like(rhs, lhs));
  }
  mlir::Value min(mlir::Value lhs, double rhs) {
    return min(lhs, like(rhs, lhs));
  }
  /// min(max(value, low), high).
  mlir::Value clamp(mlir::Value value, double low, double high) {
    return min(max(value, low), high);
  }
  mlir::Value cast(mlir::Value value, mlir::Type element);

  //===--- movement -------------------------------------------------------===//
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> perm);
  mlir::Value concat(llvm::ArrayRef<mlir::Value> values, int64_t axis);
  /// The box of `sizes` from `starts`, every `steps`-th value.
  mlir::Value slice(mlir::Value value, llvm::ArrayRef<int64_t> starts,
                    llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> steps);
  /// `size` values of one axis from `start`, every `step`-th.
  mlir::Value sliceAxis(mlir::Value value, int64_t axis, int64_t start,
                        int64_t size, int64_t step = 1);
  /// `begin` and `end` copies of `fill` around each axis; negative ones crop.
  mlir::Value pad(mlir::Value value, llvm::ArrayRef<int64_t> begin,
                  llvm::ArrayRef<int64_t> end, double fill);

  /// Repeated along axes of size 1 to `shape`.
  mlir::Value expand(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// Rows of `table` (B x R x W) by `indices` (B x K or 1 x K, from 0 on).
  mlir::Value gather(mlir::Value table, mlir::Value indices);
  /// `base` (B x R x W) with rows replaced by `updates` (B x K x W), see
  /// top.scatter.
  mlir::Value scatter(mlir::Value base, mlir::Value indices,
                      mlir::Value updates, llvm::StringRef reduction = "none");
  //===--- reductions -----------------------------------------------------===//
  /// `value` combined along `axes` (ascending); they stay as 1 with `keepDims`.
  mlir::Value reduce(top::ReduceKind kind, mlir::Value value,
                     llvm::ArrayRef<int64_t> axes, bool keepDims);

  //===--- products -------------------------------------------------------===//
  mlir::Value matmul(mlir::Value lhs, mlir::Value rhs);

  //===--- the host -------------------------------------------------------===//
  /// A `top.host` of `kernel`; null operands are absent ones. Where all
  /// operands are constant the results are. Empty if a problem has been
  /// reported.
  llvm::SmallVector<mlir::Value> host(llvm::StringRef kernel,
                                      llvm::ArrayRef<mlir::Value> operands,
                                      mlir::NamedAttrList parameters,
                                      llvm::ArrayRef<mlir::Type> results);
  /// The same with its results as the outputs of the node.
  mlir::LogicalResult finishHost(llvm::StringRef kernel,
                                 llvm::ArrayRef<mlir::Value> operands,
                                 mlir::NamedAttrList parameters,
                                 llvm::ArrayRef<mlir::Type> results);

  /// Sets output `i`, or fails if a step has.
  mlir::LogicalResult finish(mlir::Value value, unsigned i = 0);

  /// The result of a checked builder: null if it has failed.
  static mlir::Value orNull(mlir::FailureOr<mlir::Value> value) {
    return mlir::succeeded(value) ? *value : mlir::Value();
  }

private:
  mlir::Value like(double value, mlir::Value other) {
    return other ? number(value, other) : mlir::Value();
  }
};

/// Imports a node by `import`; the ops that this makes are computed in f32 at
/// every precision.
mlir::LogicalResult inSingle(NodeImporter &n,
                             mlir::LogicalResult (*import)(NodeImporter &));

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_COMPOSE_H
