//===- Resize.cpp - evaluation of the Resize family -----------------------===//

#include "dialects/tpu/Resize.h"

#include "dialects/Interleave.h"
#include "dialects/tpu/evaluate/Numbers.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

LogicalResult InterleaveOp::evaluate(Operands operands, Results &results) {
  interleave(results.emplace_back(*makeHostTensor(getOutput().getType())),
             operands, getFactors());
  return success();
}

LogicalResult ChannelsToRowsOp::evaluate(Operands operands, Results &results) {
  HostTensor &output =
      results.emplace_back(*makeHostTensor(getOutput().getType()));
  Dims from = dimsOf(getInput()), to = dimsOf(getOutput());
  size_t row = to[kAxisW] * numeric::elementBytes(output.type());
  int64_t stacked = stackedRows();
  uint8_t *target = output.bytes();
  for (int64_t c = 0; c < to[kAxisC]; ++c)
    for (int64_t y = 0; y < to[kAxisH]; ++y, target += row) {
      int64_t channel = y % stacked * to[kAxisC] + c;
      std::memcpy(target,
                  operands[0]->bytes() +
                      (channel * from[kAxisH] + y / stacked) * row,
                  row);
    }
  return success();
}
