//===- MatMul.cpp - top ops of the MatMul family
//--------------------------------===//

#include "dialects/top/MatMul.h"

#include "runtime/numeric/TensorValues.h"

using namespace mlir;
using namespace weft::top;
using namespace weft;
using weft::numeric::HostTensor;

void TopDialect::registerMatMul() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/MatMul.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/MatMul.cpp.inc"

LogicalResult MatMulOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto lhs = dyn_cast<RankedTensorType>(adaptor.getLhs().getType());
  auto rhs = dyn_cast<RankedTensorType>(adaptor.getRhs().getType());
  if (!lhs || !rhs || lhs.getRank() < 1 || rhs.getRank() < 1) // (C1)
    return emitOptionalError(
        location, "matrix product of ", adaptor.getLhs().getType(), " and ",
        adaptor.getRhs().getType(), "; both operands must have rank >= 1");
  if (lhs.getElementType() != rhs.getElementType()) // (C4)
    return emitOptionalError(
        location, "matrix product of ", lhs.getElementType(), " and ",
        rhs.getElementType(), "; both operands must have one element type");
  SmallVector<int64_t> left(lhs.getShape()), right(rhs.getShape());
  if (left.size() == 1)
    left.insert(left.begin(), 1);
  if (right.size() == 1)
    right.push_back(1);
  if (left.back() != right[right.size() - 2]) // (C2)
    return emitOptionalError(
        location, "matrix product of shapes ", shapeText(lhs.getShape()),
        " and ", shapeText(rhs.getShape()), "; the inner sizes ", left.back(),
        " and ", right[right.size() - 2], " must be equal");
  auto shape = broadcastShapes(ArrayRef(left).drop_back(2),
                               ArrayRef(right).drop_back(2));
  if (!shape) // (C3)
    return emitOptionalError(location, "matrix product of shapes ",
                             shapeText(lhs.getShape()), " and ",
                             shapeText(rhs.getShape()),
                             "; the leading axes do not broadcast");
  if (lhs.getRank() > 1)
    shape->push_back(left[left.size() - 2]);
  if (rhs.getRank() > 1)
    shape->push_back(right.back());
  types.push_back(RankedTensorType::get(*shape, lhs.getElementType()));
  return success();
}

LogicalResult MatMulOp::evaluate(ArrayRef<const HostTensor *> operands,
                                 SmallVectorImpl<HostTensor> &results) {
  HostTensor &output = results.emplace_back(*makeHostTensor(getType()));
  SmallVector<int64_t> left(getLhs().getType().getShape());
  SmallVector<int64_t> right(getRhs().getType().getShape());
  if (left.size() == 1)
    left.insert(left.begin(), 1);
  if (right.size() == 1)
    right.push_back(1);
  int64_t rows = left[left.size() - 2], inner = left.back(),
          columns = right.back();
  ArrayRef<int64_t> leftBatch = ArrayRef(left).drop_back(2);
  ArrayRef<int64_t> rightBatch = ArrayRef(right).drop_back(2);
  SmallVector<int64_t> batch = *broadcastShapes(leftBatch, rightBatch);
  int64_t count = 1;
  for (int64_t size : batch)
    count *= size;
  std::vector<double> lhs = loadDoubles(*operands[0]);
  std::vector<double> rhs = loadDoubles(*operands[1]);
  std::vector<double> sums(output.elements(), 0.0);
  // The matrix of an operand for batch index `flat`; axes of size 1 repeat.
  auto matrixIndex = [&](ArrayRef<int64_t> shape, int64_t flat) {
    int64_t index = 0, step = 1;
    for (size_t i = 1; i <= batch.size(); ++i) {
      int64_t at = flat % batch[batch.size() - i];
      flat /= batch[batch.size() - i];
      if (i > shape.size())
        continue;
      int64_t size = shape[shape.size() - i];
      index += (size == 1 ? 0 : at) * step;
      step *= size;
    }
    return index;
  };
  for (int64_t b = 0; b < count; ++b) {
    const double *a = lhs.data() + matrixIndex(leftBatch, b) * rows * inner;
    const double *c = rhs.data() + matrixIndex(rightBatch, b) * inner * columns;
    double *sum = sums.data() + b * rows * columns;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t k = 0; k < inner; ++k)
        for (int64_t j = 0; j < columns; ++j)
          sum[i * columns + j] += a[i * inner + k] * c[k * columns + j];
  }
  storeDoubles(sums, output);
  return success();
}
