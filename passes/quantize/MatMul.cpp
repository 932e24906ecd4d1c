//===- MatMul.cpp - matrix products to tpu --------------------------------===//

#include "dialects/top/MatMul.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Unary.h"
#include "dialects/tpu/MatMul.h"
#include "passes/quantize/Lowering.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// Takes along the sum with a constant row that alone follows (the bias of a
/// fully connected layer).
static void takeBias(Product &product, Lowering &lowering) {
  if (!product.output.hasOneUse())
    return;
  auto sum = dyn_cast<top::BinaryOp>(*product.output.user_begin());
  if (!sum || sum.getKind() != top::BinaryKind::Add ||
      sum.getOutput().getType() != product.output.getType())
    return;
  std::optional<FloatConstant> bias = lowering.constantOf(
      sum.getLhs() == product.output ? sum.getRhs() : sum.getLhs());
  int64_t columns = product.filter.shape[0];
  if (!bias || static_cast<int64_t>(bias->values.size()) != columns ||
      bias->shape.empty() || bias->shape.back() != columns)
    return;
  product.bias = bias->values;
  product.output = sum.getOutput();
  product.location =
      FusedLoc::get(sum.getContext(), {product.location, sum.getLoc()});
  lowering.markTaken(sum);
}

/// lhs (.., m, k) times constant rhs (k, n): a 1x1 convolution of the rows, k
/// channels to n.
static LogicalResult lowerConstant(top::MatMulOp op, const FloatConstant &rhs,
                                   Lowering &lowering) {
  auto lhsShape = cast<RankedTensorType>(op.getLhs().getType()).getShape();
  int64_t inner = rhs.shape[0], columns = rhs.shape[1], rows = 1;
  for (int64_t size : lhsShape.drop_back())
    rows *= size;
  FloatConstant filter{{columns, inner, 1, 1},
                       std::vector<float>(rhs.values.size())};
  for (int64_t k = 0; k < inner; ++k)
    for (int64_t n = 0; n < columns; ++n)
      filter.values[n * inner + k] = rhs.values[k * columns + n];
  Product product{op,
                  op.getLhs(),
                  op.getOutput(),
                  std::move(filter),
                  {},
                  {1, 1},
                  {1, 1},
                  {0, 0, 0, 0},
                  1,
                  false,
                  {rows, inner, 1, 1},
                  {rows, columns, 1, 1},
                  op.getLoc()};
  takeBias(product, lowering);
  if (top::UnaryOp relu = lowering.followingRelu(product.output)) {
    product.relu = true;
    product.output = relu.getOutput();
    product.location =
        FusedLoc::get(op.getContext(), {product.location, relu.getLoc()});
    lowering.markTaken(relu);
  }
  if (failed(lowerProduct(product, lowering)))
    return failure();
  // Rows are batches for the product; give the result its own folded shape.
  Value result = lowering.firstForm(product.output);
  lowering.define(product.output,
                  lowering.reshaped(product.location, result,
                                    lowering.shapeOf(product.output)));
  return success();
}

/// `shape` with leading ones up to rank 4.
static SmallVector<int64_t, 4> batched(ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 4> padded(4 - shape.size(), 1);
  padded.append(shape.begin(), shape.end());
  return padded;
}

static LogicalResult lowerMatMul(top::MatMulOp op, Lowering &lowering) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType()).getShape();
  auto rhs = cast<RankedTensorType>(op.getRhs().getType()).getShape();
  if (lhs.size() < 2 || rhs.size() < 2)
    return unsupported(op)
           << "a matrix product with a vector; give it a second axis of size 1";
  std::optional<FloatConstant> constant = lowering.constantOf(op.getRhs());
  if (constant && rhs.size() == 2)
    return lowerConstant(op, *constant, lowering);
  Type element = lowering.computeType();
  SmallVector<int64_t, 4> lhsShape = batched(lhs), rhsShape = batched(rhs);
  for (int axis = 0; axis < 2; ++axis)
    if (rhsShape[axis] != lhsShape[axis] && rhsShape[axis] != 1)
      return unsupported(op)
             << "a matrix product that repeats its left side "
                "over batches; make its right side a constant matrix";
  FailureOr<Value> right;
  if (constant)
    right =
        lowering.floatWeight(op.getLoc(), rhsShape, element, constant->values);
  else
    right = lowering.reshaped(op.getLoc(),
                              lowering.inFloat(op.getRhs(), element), rhsShape);
  if (failed(right))
    return failure();
  if (lowering.constantOf(op.getLhs()))
    return unsupported(op) << "a matrix product with a constant left side; "
                              "transpose the product";
  Value left = lowering.reshaped(
      op.getLoc(), lowering.inFloat(op.getLhs(), element), lhsShape);
  SmallVector<int64_t, 4> shape{lhsShape[0], lhsShape[1], lhsShape[2],
                                rhsShape[3]};
  Value result = lowering.builder.create<tpu::MatMulOp>(
      op.getLoc(), lowering.tensor(shape, element), left, *right);
  lowering.define(
      op.getOutput(),
      lowering.reshaped(op.getLoc(), result, lowering.shapeOf(op.getOutput())));
  return success();
}

void weft::quantize::registerMatMulLowering(LoweringTable &table) {
  table.add<top::MatMulOp>(lowerMatMul);
}
