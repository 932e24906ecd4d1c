//===- Softmax.cpp - evaluation of the Softmax family ---------------------===//

#include "dialects/tpu/Softmax.h"

#include "dialects/tpu/evaluate/Numbers.h"
#include "runtime/numeric/PortableMath.h"

#include <algorithm>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

LogicalResult SoftmaxOp::evaluate(Operands operands, Results &results) {
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  std::vector<double> values = loadDoubles(*operands[0]);
  int64_t axis = getAxisAttr().getInt(), size = shape[axis], inner = 1;
  for (int64_t other : shape.drop_front(axis + 1))
    inner *= other;
  int64_t rows = values.size() / size;
  for (int64_t i = 0; i < rows; ++i) {
    double *first = &values[i / inner * size * inner + i % inner];
    double largest = *first, sum = 0;
    for (int64_t k = 1; k < size; ++k)
      largest = std::max(largest, first[k * inner]);
    for (int64_t k = 0; k < size; ++k)
      sum += first[k * inner] =
          numeric::portable::exp(first[k * inner] - largest);
    for (int64_t k = 0; k < size; ++k)
      first[k * inner] /= sum;
  }
  std::vector<float> output;
  for (double value : values)
    output.push_back(roundTo(elementOf(getOutput()), value));
  storeFloats(getOutput(), output, results);
  return success();
}
