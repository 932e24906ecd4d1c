//===- TurnPrice.cpp - what a turn costs in a transfer of a group ---------===//

#include "passes/tpu/TurnPrice.h"

#include "runtime/chips/Chip.h"
#include "runtime/cycles/Cycles.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// Of a tensor of `dims` in local memory whose neighbours lie `steps` elements
/// apart in DRAM; by a piece that fits.
int64_t TurnPrice::transferCycles(const Dims &dims, const Dims &steps,
                                  unsigned bits, bool isLoad) {
  Dims piece = dims;
  auto tensor = [&] { return LocalTensor{piece, bits, LocalLayout::Aligned}; };
  for (unsigned axis : {kAxisN, kAxisH, kAxisC, kAxisW})
    while (piece[axis] > 1 &&
           (bytesPerLane(chip, tensor()) * 2 > int64_t(chip.laneBytes) ||
            piece[axis] > int64_t(chip.maxShape)))
      piece[axis] = (piece[axis] + 1) / 2;
  int64_t found = transfers.cycles(tensor(), steps, isLoad);
  if (found >= int64_t(cycles::kMostCycles))
    return found;
  return found * (double(product(dims)) / product(piece));
}

/// What `turned` costs beyond `plain`.
static int64_t extra(int64_t turned, int64_t plain) {
  constexpr int64_t kMost = cycles::kMostCycles;
  return turned >= kMost || plain >= kMost
             ? kMost
             : std::max<int64_t>(0, turned - plain);
}

int64_t TurnPrice::extraOfLoad(PermuteOp turn, Type element) {
  Dims dims = dimsOf(turn.getOutput()), steps{},
       dense = denseSteps(dimsOf(turn.getInput()));
  for (unsigned axis = 0; axis < 4; ++axis)
    steps[axis] = dense[turn.getOrder()[axis]];
  unsigned bits = elementBits(element);
  return extra(transferCycles(dims, steps, bits, /*isLoad=*/true),
               transferCycles(dims, denseSteps(dims), bits, /*isLoad=*/true));
}

int64_t TurnPrice::extraOfStore(PermuteOp turn, Type element) {
  Dims dims = dimsOf(turn.getInput()), steps{},
       dense = denseSteps(dimsOf(turn.getOutput()));
  for (unsigned axis = 0; axis < 4; ++axis)
    steps[turn.getOrder()[axis]] = dense[axis];
  unsigned bits = elementBits(element);
  return extra(transferCycles(dims, steps, bits, /*isLoad=*/false),
               transferCycles(dims, denseSteps(dims), bits, /*isLoad=*/false));
}

int64_t TurnPrice::leastInDram(PermuteOp turn) const {
  return tensorBytes(turn.getInput()) / chip.rates.copyBytes;
}
