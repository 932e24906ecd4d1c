//===- MatMul.cpp - host kernels of matrices ------------------------------===//

#include "runtime/host/Strides.h"
#include "runtime/numeric/TensorValues.h"
#include "runtime/status/Stop.h"

#include <cmath>

using namespace weft;
using namespace weft::host;
using numeric::loadDoubles;
using numeric::loadIntegers;
using numeric::storeDoubles;
using numeric::storeIntegers;
using rt::Status;

namespace {
/// A product with its operands as stacks of matrices.
struct Product {
  int64_t rows = 1, inner = 1, columns = 1;
  Shape leftBatch, rightBatch, batch;
};
} // namespace

/// Sizes of numpy.matmul; a 1-D operand is a row or a column.
static Status productOf(const Call &call, Product &product, Shape &result) {
  Shape left = call.operand(0).shape(), right = call.operand(1).shape();
  if (left.empty() || right.empty())
    return call.fail("operand %d is a scalar, must have an axis",
                     left.empty() ? 0 : 1);
  bool isRow = left.size() == 1, isColumn = right.size() == 1;
  if (isRow)
    left.insert(left.begin(), 1);
  if (isColumn)
    right.push_back(1);
  product.rows = left[left.size() - 2];
  product.inner = left.back();
  product.columns = right.back();
  if (right[right.size() - 2] != product.inner)
    return call.fail("inner sizes %lld and %lld differ",
                     static_cast<long long>(product.inner),
                     static_cast<long long>(right[right.size() - 2]));
  product.leftBatch.assign(left.begin(), left.end() - 2);
  product.rightBatch.assign(right.begin(), right.end() - 2);
  auto batch = broadcastShapes(product.leftBatch, product.rightBatch);
  if (!batch)
    return call.fail("leading axes do not broadcast");
  result = product.batch = *batch;
  if (!isRow)
    result.push_back(product.rows);
  if (!isColumn)
    result.push_back(product.columns);
  return Status::ok();
}

/// sum over k of lhs[i, k] * rhs[k, j] for each matrix of the batch; `T` wraps
/// or rounds as its arithmetic does. Left early if that is asked for
/// (runtime/status/Stop.h): whoever runs the program says why.
template <typename T>
static std::vector<T> multiply(const Product &product,
                               const std::vector<T> &lhs,
                               const std::vector<T> &rhs, int64_t count) {
  std::vector<T> sums(count);
  Shape leftSteps = broadcastSteps(product.leftBatch, product.batch),
        rightSteps = broadcastSteps(product.rightBatch, product.batch);
  Shape index(product.batch.size(), 0);
  int64_t matrix = product.rows * product.columns;
  for (int64_t b = 0; matrix && b < count / matrix; ++b) {
    int64_t left = 0, right = 0;
    for (size_t axis = 0; axis < index.size(); ++axis) {
      left += index[axis] * leftSteps[axis];
      right += index[axis] * rightSteps[axis];
    }
    const T *a = lhs.data() + left * product.rows * product.inner;
    const T *c = rhs.data() + right * product.inner * product.columns;
    T *sum = sums.data() + b * matrix;
    for (int64_t i = 0; i < product.rows; ++i)
      for (int64_t k = 0; k < product.inner && !rt::stopRequested(); ++k)
        for (int64_t j = 0; j < product.columns; ++j)
          sum[i * product.columns + j] +=
              a[i * product.inner + k] * c[k * product.columns + j];
    for (size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < product.batch[axis])
        break;
      index[axis] = 0;
    }
  }
  return sums;
}

Status host::kernels::matmul(const Call &call,
                             std::vector<HostTensor> &results) {
  const HostTensor &lhs = call.operand(0), &rhs = call.operand(1);
  bool isFloat = numeric::isFloatType(call.results[0].type);
  if (isFloat != numeric::isFloatType(lhs.type()) ||
      isFloat != numeric::isFloatType(rhs.type()))
    return call.fail("mixes floats and integers");
  Product product;
  Shape shape;
  WEFT_TRY(productOf(call, product, shape));
  WEFT_TRY(call.addResult(std::move(shape), results));
  HostTensor &output = results.back();
  if (isFloat) {
    storeDoubles(multiply(product, loadDoubles(lhs), loadDoubles(rhs),
                          output.elements()),
                 output);
    return Status::ok();
  }
  // Unsigned, so that a product may wrap.
  auto wrapping = [](const HostTensor &tensor) {
    std::vector<int64_t> values = loadIntegers(tensor);
    return std::vector<uint64_t>(values.begin(), values.end());
  };
  std::vector<uint64_t> sums =
      multiply(product, wrapping(lhs), wrapping(rhs), output.elements());
  storeIntegers(std::vector<int64_t>(sums.begin(), sums.end()), output);
  return Status::ok();
}

/// Gaussian elimination with the largest pivot of each column.
static double determinant(double *matrix, int64_t size) {
  double product = 1;
  for (int64_t column = 0; column < size; ++column) {
    int64_t pivot = column;
    for (int64_t row = column + 1; row < size; ++row)
      if (std::fabs(matrix[row * size + column]) >
          std::fabs(matrix[pivot * size + column]))
        pivot = row;
    double value = matrix[pivot * size + column];
    if (value == 0)
      return 0;
    if (pivot != column) {
      product = -product;
      for (int64_t k = 0; k < size; ++k)
        std::swap(matrix[pivot * size + k], matrix[column * size + k]);
    }
    product *= value;
    for (int64_t row = column + 1; row < size; ++row) {
      double factor = matrix[row * size + column] / value;
      for (int64_t k = column; k < size; ++k)
        matrix[row * size + k] -= factor * matrix[column * size + k];
    }
  }
  return product;
}

Status host::kernels::det(const Call &call, std::vector<HostTensor> &results) {
  const HostTensor &input = call.operand(0);
  const Shape &shape = input.shape();
  size_t rank = shape.size();
  if (rank < 2 || shape[rank - 1] != shape[rank - 2] ||
      !numeric::isFloatType(input.type()))
    return call.fail("needs square matrices of floats");
  int64_t size = shape[rank - 1];
  WEFT_TRY(call.addResult(Shape(shape.begin(), shape.end() - 2), results));
  std::vector<double> matrices = loadDoubles(input), values;
  for (int64_t i = 0; i < results.back().elements(); ++i)
    values.push_back(determinant(matrices.data() + i * size * size, size));
  storeDoubles(values, results.back());
  return Status::ok();
}
