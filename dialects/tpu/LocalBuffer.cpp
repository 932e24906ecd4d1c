//===- LocalBuffer.cpp - what a tensor takes in local memory --------------===//

#include "dialects/tpu/LocalBuffer.h"

#include "dialects/tpu/sequence/Sequence.h"
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
  int64_t channelsInLane = (dims[kAxisC] + lanes - 1) / lanes;
  int64_t bytes = (dims[kAxisN] * channelsInLane *
                       channelElements(chip, tensor) * tensor.bits +
                   7) /
                  8;
  return alignUp<int64_t>(bytes, chip.euBytes);
}

void weft::tpu::addExpScratch(const Chip &chip, const Dims &dims,
                              llvm::SmallVectorImpl<LocalBuffer> &buffers) {
  for (int i = 0; i < 3; ++i)
    buffers.push_back(
        {LocalBuffer::Scratch, {dims, 32, LocalLayout::Aligned}, 0, false});
  LocalTensor coefficients{{1, static_cast<int64_t>(chip.lanes), 1, kExpTerms},
                           32,
                           LocalLayout::Aligned};
  buffers.push_back({LocalBuffer::Scratch, coefficients, 0, false});
}

void weft::tpu::addSequenceBuffers(
    const Chip &chip, const Sequence &sequence, const Dims &dims,
    llvm::SmallVectorImpl<LocalBuffer> &buffers) {
  if (!sequence.table.empty()) {
    LocalTensor coefficients{{1, static_cast<int64_t>(chip.lanes), 1,
                              static_cast<int64_t>(sequence.table.size())},
                             32,
                             LocalLayout::Aligned};
    buffers.push_back(
        {LocalBuffer::Constant, coefficients, 0, /*broadcast=*/true});
  }
  for (unsigned i = 0; i < sequence.scratchTiles; ++i)
    buffers.push_back(
        {LocalBuffer::Scratch, {dims, 32, LocalLayout::Aligned}, 0, false});
}
