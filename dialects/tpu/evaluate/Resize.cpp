//===- Resize.cpp - evaluation of the Resize family -----------------------===//

#include "dialects/tpu/Resize.h"

#include "dialects/tpu/evaluate/Numbers.h"

#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

LogicalResult InterleaveOp::evaluate(Operands operands, Results &results) {
  auto type = cast<RankedTensorType>(getOutput().getType());
  HostTensor &output = results.emplace_back(*makeHostTensor(type));
  ArrayRef<int64_t> shape = type.getShape();
  int64_t high = getFactors()[0], wide = getFactors()[1];
  size_t unit = numeric::elementBytes(output.type());
  uint8_t *to = output.bytes();
  for (int64_t row = 0; row < shape[0] * shape[1] * shape[2]; ++row)
    for (int64_t x = 0; x < shape[3]; ++x, to += unit) {
      int64_t phase = row % high * wide + x % wide;
      const HostTensor &source = *operands[operands.size() == 1 ? 0 : phase];
      int64_t from = row / high * (shape[3] / wide) + x / wide;
      std::memcpy(to, source.bytes() + from * unit, unit);
    }
  return success();
}
