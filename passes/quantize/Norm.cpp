//===- Norm.cpp - batch normalization to tpu ------------------------------===//

#include "dialects/top/Norm.h"

#include "dialects/tpu/Norm.h"
#include "passes/quantize/Lowering.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

static Answer<> planBatchNorm(top::BatchNormOp op, Lowering &lowering) {
  std::optional<FloatConstant> parameters[4];
  Value operands[] = {op.getScale(), op.getBias(), op.getMean(),
                      op.getVariance()};
  for (int i = 0; i < 4; ++i)
    if (!(parameters[i] = lowering.constantOf(operands[i])))
      return Refusal(op, "batch normalization with computed statistics",
                     "they must be constant");
  size_t channels = parameters[0]->values.size();
  std::vector<float> scale(channels), bias(channels);
  for (size_t c = 0; c < channels; ++c) {
    double factor =
        parameters[0]->values[c] /
        std::sqrt(parameters[3]->values[c] + op.getEpsilon().convertToDouble());
    scale[c] = static_cast<float>(factor);
    bias[c] = static_cast<float>(parameters[1]->values[c] -
                                 parameters[2]->values[c] * factor);
  }
  Type element = lowering.elementwiseType(op.getInput());
  int64_t shape[] = {1, static_cast<int64_t>(channels), 1, 1};
  Answer<Value> scaleValue =
      lowering.floatWeight(op.getLoc(), shape, element, scale);
  Answer<Value> biasValue =
      lowering.floatWeight(op.getLoc(), shape, element, bias);
  if (!scaleValue)
    return scaleValue.no();
  if (!biasValue)
    return biasValue.no();
  Value input = lowering.inFloat(op.getInput(), element);
  lowering.define(op.getOutput(), lowering.builder.create<tpu::ScaleOp>(
                                      op.getLoc(), input.getType(), input,
                                      *scaleValue, *biasValue, UnitAttr()));
  return Yes();
}

void weft::quantize::registerNormLowering(LoweringTable &table) {
  table.add<top::BatchNormOp>(planBatchNorm);
}
