//===- LocalBuffer.cpp - what a tensor takes in local memory --------------===//

#include "dialects/tpu/LocalBuffer.h"

#include "runtime/chips/Alignment.h"
#include "runtime/chips/Chip.h"

#include "llvm/Support/ErrorHandling.h"

using namespace weft;
using namespace weft::tpu;

static int64_t channelElements(const Chip &chip, const LocalTensor &tensor) {
  const Dims &dims = tensor.dims;
  int64_t rowElements = static_cast<int64_t>(chip.euBytes) * 8 / tensor.bits;
  switch (tensor.layout) {
  case LocalLayout::Aligned:
    return alignUp<int64_t>(dims[kAxisH] * dims[kAxisW], rowElements);
  case LocalLayout::Compact:
    return dims[kAxisH] * dims[kAxisW];
  case LocalLayout::LineAligned:
    return dims[kAxisH] * alignUp<int64_t>(dims[kAxisW], rowElements);
  }
  llvm_unreachable("covered switch");
}

int64_t weft::tpu::channelBytes(const Chip &chip, const LocalTensor &tensor) {
  return channelElements(chip, tensor) * tensor.bits / 8;
}

int64_t weft::tpu::bytesPerLane(const Chip &chip, const LocalTensor &tensor) {
  const Dims &dims = tensor.dims;
  int64_t lanes = chip.lanes;
  int64_t channelsInLane = (tensor.lane + dims[kAxisC] + lanes - 1) / lanes;
  int64_t bytes = (dims[kAxisN] * channelsInLane *
                       channelElements(chip, tensor) * tensor.bits +
                   7) /
                  8;
  return alignUp<int64_t>(bytes, chip.euBytes);
}
