//===- MatMul.cpp - ONNX rows of the MatMul family ------------------------===//

#include "dialects/top/MatMul.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Move.h"
#include "frontend/onnx/NodeImporter.h"
#include "frontend/onnx/OpRows.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;
using top::BinaryKind;

/// MatMul-1..13.
static LogicalResult importMatMul(NodeImporter &n) {
  FailureOr<Value> lhs = n.operand(0), rhs = n.operand(1);
  if (failed(lhs) || failed(rhs))
    return failure();
  return n.setOutput(n.create<top::MatMulOp>(*lhs, *rhs));
}

/// Operand `i` of Gemm, transposed if the flag `name` says so.
static FailureOr<Value> gemmOperand(NodeImporter &n, unsigned i,
                                    StringRef name) {
  FailureOr<Value> value = n.operand(i);
  FailureOr<bool> transposed = n.flagAttribute(name, false);
  if (failed(value) || failed(transposed))
    return failure();
  if (int64_t rank = n.typeOf(*value).getRank(); rank != 2) {
    n.error() << "input " << i << " has rank " << rank << ", must have 2";
    return failure();
  }
  if (!*transposed)
    return value;
  return n.create<top::TransposeOp>(*value, ArrayRef<int64_t>{1, 0});
}

static FailureOr<Value> scaled(NodeImporter &n, FailureOr<Value> value,
                               double factor) {
  if (failed(value) || factor == 1)
    return value;
  Value scale = n.scalar(factor, n.typeOf(*value).getElementType());
  return n.create<top::BinaryOp>(BinaryKind::Mul, *value, scale);
}

/// Gemm-7..13: alpha * A' * B' + beta * C.
static LogicalResult importGemm(NodeImporter &n) {
  FailureOr<Value> lhs = gemmOperand(n, 0, "transA");
  FailureOr<Value> rhs = gemmOperand(n, 1, "transB");
  FailureOr<double> alpha = n.floatAttribute("alpha", 1);
  FailureOr<double> beta = n.floatAttribute("beta", 1);
  if (failed(lhs) || failed(rhs) || failed(alpha) || failed(beta))
    return failure();
  if (!isa<FloatType>(n.typeOf(*lhs).getElementType()))
    return n.unsupported() << "Gemm of integers; use floats";
  FailureOr<Value> product =
      scaled(n, n.create<top::MatMulOp>(*lhs, *rhs), *alpha);
  Value addend = n.optionalOperand(2);
  if (failed(product) || !addend || *beta == 0)
    return n.setOutput(product);
  FailureOr<Value> scaledAddend = scaled(n, addend, *beta);
  if (failed(scaledAddend))
    return failure();
  // C may broadcast to the product, not the other way round.
  ArrayRef<int64_t> shape = n.typeOf(*product).getShape();
  auto broadcast = top::broadcastShapes(shape, n.typeOf(addend).getShape());
  if (!broadcast || ArrayRef<int64_t>(*broadcast) != shape)
    return n.error() << "input C has the shape "
                     << formatShape(n.typeOf(addend).getShape())
                     << ", which does not broadcast to " << formatShape(shape);
  return n.setOutput(
      n.create<top::BinaryOp>(BinaryKind::Add, *product, *scaledAddend));
}

void weft::onnx::registerMatMulRows(OpRegistry &registry) {
  registry.add("MatMul", {{"Gemm", 7, kLastOpset, importGemm, "floats"},
                          {"MatMul", 1, kLastOpset, importMatMul, "floats"}});
}
