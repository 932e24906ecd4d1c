//===- MatMul.cpp - evaluation of the MatMul family -----------------------===//

#include "dialects/tpu/MatMul.h"

#include "dialects/tpu/evaluate/Numbers.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

LogicalResult MatMulOp::evaluate(Operands operands, Results &results) {
  ArrayRef<int64_t> l = getLhs().getType().getShape(),
                    r = getRhs().getType().getShape(),
                    y = getOutput().getType().getShape();
  int64_t rows = l[2], inner = l[3], columns = r[3];
  std::vector<double> lhs = loadDoubles(*operands[0]),
                      rhs = loadDoubles(*operands[1]);
  // Which matrix of an operand takes part in batch (a, b).
  auto matrix = [](ArrayRef<int64_t> shape, int64_t a, int64_t b) {
    return (shape[0] == 1 ? 0 : a) * shape[1] + (shape[1] == 1 ? 0 : b);
  };
  std::vector<double> sums(getOutput().getType().getNumElements());
  for (int64_t a = 0; a < y[0]; ++a)
    for (int64_t b = 0; b < y[1]; ++b) {
      const double *left = &lhs[matrix(l, a, b) * rows * inner];
      const double *right = &rhs[matrix(r, a, b) * inner * columns];
      double *sum = &sums[(a * y[1] + b) * rows * columns];
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t k = 0; k < inner; ++k)
          for (int64_t j = 0; j < columns; ++j)
            sum[i * columns + j] +=
                left[i * inner + k] * right[k * columns + j];
    }
  Type element = elementOf(getOutput());
  if (llvm::isa<IntegerType>(element)) {
    std::vector<int64_t> integers; // exact: 2^16 * inner is far below 2^53
    for (double sum : sums)
      integers.push_back(static_cast<int32_t>(static_cast<int64_t>(sum)));
    storeStored(getOutput(), integers, results);
    return success();
  }
  std::vector<float> output;
  for (double sum : sums)
    output.push_back(roundTo(element, sum));
  storeFloats(getOutput(), output, results);
  return success();
}

LogicalResult LinearOp::evaluate(Operands operands, Results &results) {
  int64_t rows = getInput().getType().getDimSize(0) *
                 getInput().getType().getDimSize(1),
          inner = getInput().getType().getDimSize(3),
          columns = getFilter().getType().getDimSize(0);
  std::vector<double> input = loadDoubles(*operands[0]),
                      filter = loadDoubles(*operands[1]), bias(columns, 0.0);
  if (getBias())
    bias = loadDoubles(*operands[2]);
  Type element = elementOf(getOutput());
  bool scaled = isQuantized(getInput()), quantized = isQuantized(getOutput());
  std::vector<float> floats;
  std::vector<int64_t> integers;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      double sum = 0; // of integers exact: 2^16 * inner is far below 2^53
      for (int64_t k = 0; k < inner; ++k)
        sum += input[row * inner + k] * filter[column * inner + k];
      double value = sum + bias[column];
      if (scaled) {
        float product = static_cast<float>(sum) * (*getScales())[column];
        value = product + static_cast<float>(bias[column]);
      }
      if (getRelu() && value < 0)
        value = 0;
      if (quantized) {
        IntegerRange range = rangeOf(element);
        integers.push_back(numeric::roundToInteger(
            value, numeric::Rounding::HalfToEven, range.low, range.high));
      } else {
        floats.push_back(roundTo(element, value));
      }
    }
  if (quantized)
    storeStored(getOutput(), integers, results);
  else
    storeFloats(getOutput(), floats, results);
  return success();
}

/// The numbers that the codes stand for, a row of K for each column.
static std::vector<double> dequantized(CodedLinearOp op, Operands operands) {
  std::vector<double> codes = loadDoubles(*operands[1]),
                      scales = loadDoubles(*operands[2]), zeros;
  if (op.getZeroPoints())
    zeros = loadDoubles(*operands[3]);
  auto size = static_cast<size_t>(op.inner() / op.groups());
  for (size_t i = 0; i < codes.size(); ++i) {
    auto code = static_cast<int64_t>(codes[i]);
    if (op.getBits() == 4) { // the lower four bits
      code = ((code % 16) + 16) % 16;
      if (zeros.empty() && code >= 8)
        code -= 16;
    }
    if (!zeros.empty())
      code -= static_cast<int64_t>(zeros[i / size]);
    codes[i] = roundTo(op.getInput().getType().getElementType(),
                       static_cast<double>(code) * scales[i / size]);
  }
  return codes;
}

LogicalResult CodedLinearOp::evaluate(Operands operands, Results &results) {
  Dims shape = dimsOf(getInput());
  int64_t inner = this->inner(), columns = this->columns();
  bool areRows = getRowsInLanes();
  // Rows of pixels are strided.
  int64_t pixels = areRows ? 1 : shape[2] * shape[3],
          images = areRows ? shape[0] * shape[1] : shape[0];
  std::vector<double> input = loadDoubles(*operands[0]),
                      filter = dequantized(*this, operands), bias(columns, 0.0);
  if (getBias())
    bias = loadDoubles(*operands.back());
  std::vector<float> output(images * columns * pixels);
  for (int64_t image = 0; image < images; ++image)
    for (int64_t column = 0; column < columns; ++column)
      for (int64_t pixel = 0; pixel < pixels; ++pixel) {
        double sum = bias[column];
        for (int64_t k = 0; k < inner; ++k)
          sum += input[(image * inner + k) * pixels + pixel] *
                 filter[column * inner + k];
        if (getRelu() && sum < 0)
          sum = 0;
        output[(image * columns + column) * pixels + pixel] =
            roundTo(elementOf(getOutput()), sum);
      }
  storeFloats(getOutput(), output, results);
  return success();
}

LogicalResult RowMatMulOp::evaluate(Operands operands, Results &results) {
  ArrayRef<int64_t> l = getLhs().getType().getShape(),
                    y = getOutput().getType().getShape();
  bool hasOneLeft = l[0] == 1,
       hasOneRight = getRhs().getType().getDimSize(0) == 1;
  int64_t heads = l[2], inner = l[3], columns = y[3];
  int64_t rightRows = getTransposed() ? columns : inner;
  std::vector<double> lhs = loadDoubles(*operands[0]),
                      rhs = loadDoubles(*operands[1]);
  std::vector<float> output;
  for (int64_t i = 0; i < y[0] * y[1]; ++i)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t j = 0; j < columns; ++j) {
        // Rows of the image's matrices.
        int64_t row = hasOneLeft ? i % y[1] : i,
                first = hasOneRight ? 0 : i / y[1] * rightRows;
        double sum = 0;
        for (int64_t k = 0; k < inner; ++k)
          sum +=
              lhs[(row * heads + h) * inner + k] *
              (getTransposed() ? rhs[((first + j) * heads + h) * inner + k]
                               : rhs[((first + k) * heads + h) * columns + j]);
        output.push_back(roundTo(elementOf(getOutput()), sum));
      }
  storeFloats(getOutput(), output, results);
  return success();
}
