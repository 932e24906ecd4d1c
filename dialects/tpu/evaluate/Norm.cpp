//===- Norm.cpp - evaluation of the Norm family ---------------------------===//

#include "dialects/tpu/Norm.h"

#include "dialects/tpu/evaluate/Numbers.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

LogicalResult ScaleOp::evaluate(Operands operands, Results &results) {
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  int64_t plane = shape[2] * shape[3];
  Type element = elementOf(getOutput());
  std::vector<double> input = loadDoubles(*operands[0]),
                      scale = loadDoubles(*operands[1]),
                      bias = loadDoubles(*operands[2]);
  std::vector<float> output(input.size());
  for (size_t i = 0; i < input.size(); ++i) {
    int64_t channel = i / plane % shape[1];
    auto factor = static_cast<float>(scale[channel]),
         offset = static_cast<float>(bias[channel]);
    float product = roundTo(element, static_cast<float>(input[i]) * factor);
    float value = roundTo(element, product + offset);
    output[i] = getRelu() && value < 0 ? 0.0f : value;
  }
  storeFloats(getOutput(), output, results);
  return success();
}
