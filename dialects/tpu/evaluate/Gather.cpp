//===- Gather.cpp - evaluation of the Gather family -----------------------===//

#include "dialects/tpu/Gather.h"

#include "dialects/tpu/evaluate/Numbers.h"

#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

namespace {
/// A tensor as channels of rows: what its row number is worth in bytes.
struct Rows {
  int64_t channels, count;
  size_t bytes;

  explicit Rows(const HostTensor &tensor)
      : channels(tensor.shape()[1]), count(tensor.shape()[2]),
        bytes(tensor.shape()[3] * numeric::elementBytes(tensor.type())) {}
  /// Byte of row `row` of channel `channel`; one channel serves all.
  size_t at(int64_t channel, int64_t row) const {
    return ((channels == 1 ? 0 : channel) * count + row) * bytes;
  }
};
} // namespace

static uint32_t indexAt(const HostTensor &indices, int64_t channel,
                        int64_t row) {
  uint32_t index;
  std::memcpy(&index, indices.bytes() + Rows(indices).at(channel, row),
              sizeof index);
  return index;
}

LogicalResult GatherOp::evaluate(Operands operands, Results &results) {
  HostTensor &output =
      results.emplace_back(*makeHostTensor(getOutput().getType()));
  Rows from(*operands[0]), to(output);
  size_t unit = numeric::elementBytes(output.type());
  int64_t fill = getFill();
  for (int64_t channel = 0; channel < to.channels; ++channel)
    for (int64_t row = 0; row < to.count; ++row) {
      uint32_t index = indexAt(*operands[1], channel, row);
      uint8_t *target = output.bytes() + to.at(channel, row);
      if (index < from.count)
        std::memcpy(target, operands[0]->bytes() + from.at(channel, index),
                    to.bytes);
      else
        for (size_t at = 0; at < to.bytes; at += unit)
          std::memcpy(target + at, &fill, unit); // little endian
    }
  return success();
}

LogicalResult ScatterOp::evaluate(Operands operands, Results &results) {
  HostTensor &output = results.emplace_back(*operands[0]);
  Rows from(*operands[2]), to(output);
  for (int64_t channel = 0; channel < to.channels; ++channel)
    for (int64_t row = 0; row < from.count; ++row) {
      uint32_t index = indexAt(*operands[1], channel, row);
      if (index < to.count)
        std::memcpy(output.bytes() + to.at(channel, index),
                    operands[2]->bytes() + from.at(channel, row), to.bytes);
    }
  return success();
}
