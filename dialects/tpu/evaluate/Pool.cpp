//===- Pool.cpp - evaluation of the Pool family ---------------------------===//

#include "dialects/tpu/Pool.h"

#include "dialects/tpu/evaluate/Numbers.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// One value a window: the maximum, or the sum, over the cells inside the
/// input.
static std::vector<double> windows(PoolOp op,
                                   const std::vector<double> &input) {
  ArrayRef<int64_t> in = op.getInput().getType().getShape(),
                    out = op.getOutput().getType().getShape();
  bool average = op.getKind() == PoolKind::Avg;
  std::vector<double> values;
  values.reserve(op.getOutput().getType().getNumElements());
  for (int64_t plane = 0; plane < out[0] * out[1]; ++plane)
    for (int64_t y = 0; y < out[2]; ++y)
      for (int64_t x = 0; x < out[3]; ++x) {
        int64_t top = y * op.getStrides()[0] - op.getPads()[0],
                left = x * op.getStrides()[1] - op.getPads()[1];
        double value = average ? 0 : -std::numeric_limits<double>::infinity();
        for (int64_t row = std::max<int64_t>(top, 0);
             row < std::min(top + op.getKernel()[0], in[2]); ++row)
          for (int64_t column = std::max<int64_t>(left, 0);
               column < std::min(left + op.getKernel()[1], in[3]); ++column) {
            double cell = input[(plane * in[2] + row) * in[3] + column];
            value = average ? value + cell : std::max(value, cell);
          }
        values.push_back(value);
      }
  return values;
}

LogicalResult PoolOp::evaluate(Operands operands, Results &results) {
  std::vector<double> values = windows(*this, loadDoubles(*operands[0]));
  Type element = elementOf(getOutput());
  if (isQuantized(getInput())) {
    std::vector<int64_t> output(values.begin(), values.end());
    if (getKind() == PoolKind::Avg)
      for (int64_t &value : output)
        value = requantize(value, *getMultiplier(), *getRshift(),
                           Rounding::HalfUp, rangeOf(element));
    storeStored(getOutput(), output, results);
    return success();
  }
  double scale = getKind() == PoolKind::Avg
                     ? roundTo(element, 1.0 / (getKernel()[0] * getKernel()[1]))
                     : 1.0;
  std::vector<float> output;
  for (double value : values)
    output.push_back(roundTo(element, value * scale));
  storeFloats(getOutput(), output, results);
  return success();
}
