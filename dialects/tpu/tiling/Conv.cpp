//===- Conv.cpp - tiling of the Conv family -------------------------------===//

#include "dialects/tpu/Conv.h"

#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/tiling/Window.h"
#include "runtime/chips/Chip.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

bool ConvOp::isPackedOperand(unsigned operand) { return operand > 0; }

// The cube reads its input with explicit strides (isa CONV.opd0_str 3); the
// depthwise unit has no strides.
bool ConvOp::readsStrided(unsigned operand) {
  return operand == 0 && !isDepthwise();
}

InputNeed ConvOp::inputNeed(unsigned, const Box &result) {
  Dims input = dimsOf(getInput());
  Dims filter = dimsOf(getFilter());
  InputNeed need = windowNeed(input, dimsOf(getOutput()), result,
                              {filter[kAxisH], filter[kAxisW]}, getStrides(),
                              getDilations(), getPads());
  if (!isDepthwise()) { // every output channel reads all input channels
    need.box.offset[kAxisC] = 0;
    need.box.size[kAxisC] = input[kAxisC];
  }
  return need;
}

LocalTensor ConvOp::packedFilter(const Chip &chip, int64_t channels) {
  Dims filter = dimsOf(getFilter());
  unsigned bits = elementBits(elementOf(getFilter()));
  int64_t window = filter[kAxisH] * filter[kAxisW];
  if (isDepthwise())
    return {{1, channels, filter[kAxisH], filter[kAxisW]},
            bits,
            LocalLayout::Compact};
  int64_t inputChannels =
      dimsOf(getInput())[kAxisC]; // grouped filters are widened with zeros
  int64_t pack = bits == 32 ? 1 : static_cast<int64_t>(chip.euBytes) * 8 / bits;
  if (pack == 1)
    return {{1, channels, inputChannels, window}, bits, LocalLayout::Compact};
  return {{1, channels, (inputChannels + pack - 1) / pack * window, pack},
          bits,
          LocalLayout::Compact};
}

void ConvOp::localBuffers(const Chip &chip, const Box &result, ArrayRef<Box>,
                          SmallVectorImpl<LocalBuffer> &buffers) {
  int64_t channels = result.size[kAxisC];
  auto constant = [&](LocalTensor tensor) {
    buffers.push_back(
        {LocalBuffer::Constant, tensor, result.offset[kAxisC], false});
  };
  auto scratch = [&](LocalTensor tensor) {
    buffers.push_back({LocalBuffer::Scratch, tensor, 0, false});
  };
  LocalTensor filter = packedFilter(chip, channels);
  LocalTensor perChannel{{1, channels, 1, 1}, 32, LocalLayout::Compact};
  constant(filter);
  if (!isQuantized(getInput())) {
    if (getBias())
      constant(perChannel);
    if (isDepthwise() && filter.bits == 16) {
      // The depthwise unit rounds every step in a 16-bit type; the op promises
      // one rounding, so it runs in f32.
      scratch({filter.dims, 32, LocalLayout::Compact});
      scratch({inputNeed(0, result).box.size, 32, LocalLayout::Aligned});
      if (elementBits(elementOf(getOutput())) == 16)
        scratch({result.size, 32, LocalLayout::Aligned});
    }
    return;
  }
  bool toQuant = isQuantized(getOutput());
  if (getMultipliers()) {
    if (getBias())
      constant(perChannel);
    constant({{1, channels, 1, 3}, 32, LocalLayout::Aligned});
  } else if (toQuant) {
    constant({{1, channels, 1, 2}, 32, LocalLayout::Aligned});
  } else {
    constant(perChannel); // scale
    constant(perChannel); // bias, zero if absent
  }
  // The 32-bit accumulator; a float f32 result is finished in place of it.
  if (toQuant || elementBits(elementOf(getOutput())) != 32)
    scratch({result.size, 32, LocalLayout::Aligned});
}

unsigned ConvOp::commandCount() {
  return isQuantized(getInput()) ? 3 : 1 + getRelu();
}
