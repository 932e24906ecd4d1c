//===- TurnPrice.cpp - what a turn costs in a transfer of a group ---------===//

#include "passes/tpu/TurnPrice.h"

#include "runtime/chips/Chip.h"
#include "runtime/cycles/Cycles.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// Of a tensor of `dims` in local memory whose neighbours lie `steps` elements
/// apart in DRAM; by a piece of `piece` or, if that does not fit, a smaller
/// one.
int64_t TurnPrice::transferCycles(const Dims &dims, Dims piece,
                                  const Dims &steps, unsigned bits,
                                  bool isLoad) {
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

int64_t TurnPrice::extraOfLoad(PermuteOp turn, Type element,
                               const Dims &piece) {
  Dims dims = dimsOf(turn.getOutput());
  unsigned bits = elementBits(element);
  return extra(
      transferCycles(dims, piece, loadSteps(turn), bits, /*isLoad=*/true),
      transferCycles(dims, piece, denseSteps(dims), bits, /*isLoad=*/true));
}

int64_t TurnPrice::extraOfStore(PermuteOp turn, Type element,
                                const Dims &piece) {
  Dims dims = dimsOf(turn.getInput());
  unsigned bits = elementBits(element);
  return extra(
      transferCycles(dims, piece, storeSteps(turn), bits, /*isLoad=*/false),
      transferCycles(dims, piece, denseSteps(dims), bits, /*isLoad=*/false));
}

static constexpr unsigned kNarrow = 16, kWide = 32; // bits

/// Of all elements as they are turned, without a turn.
int64_t TurnPrice::straightCycles(PermuteOp turn, unsigned bits, bool isLoad) {
  Dims dims = dimsOf(turn.getOutput());
  return transferCycles(dims, dims, denseSteps(dims), bits, isLoad);
}

int64_t TurnPrice::gainOfWidening(PermuteOp turn) {
  StridedCopy copy = copiesOf(turn).front().copy;
  int64_t elements = product(dimsOf(turn.getInput())),
          together = transfers.copyCycles(copy, kNarrow, elements, kWide);
  if (together >= int64_t(cycles::kMostCycles))
    return 0;
  int64_t apart = std::min(transfers.copyCycles(copy, kNarrow, elements),
                           extraOfLoad(turn, elementOf(turn.getInput()))) +
                  straightCycles(turn, kNarrow, /*isLoad=*/true) +
                  straightCycles(turn, kWide, /*isLoad=*/false);
  return apart - together;
}

int64_t TurnPrice::leastInDram(const Chip &chip, PermuteOp turn) {
  return tensorBytes(turn.getInput()) / chip.rates.copyBytes;
}
