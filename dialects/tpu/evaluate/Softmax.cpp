//===- Softmax.cpp - evaluation of the Softmax family ---------------------===//

#include "dialects/tpu/Softmax.h"

#include "dialects/tpu/evaluate/Numbers.h"
#include "runtime/numeric/Softmax.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

LogicalResult SoftmaxOp::evaluate(Operands operands, Results &results) {
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  std::vector<double> values = loadDoubles(*operands[0]);
  int64_t axis = getAxisAttr().getInt(), size = shape[axis], inner = 1;
  for (int64_t other : shape.drop_front(axis + 1))
    inner *= other;
  if (getOverLanes()) // h is 1: a line is the whole image
    size *= shape[kAxisC];
  numeric::softmaxLines(values, size, inner);
  std::vector<float> output;
  for (double value : values)
    output.push_back(roundTo(elementOf(getOutput()), value));
  storeFloats(getOutput(), output, results);
  return success();
}
