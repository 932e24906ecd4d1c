//===- Cost.cpp - what a move costs ---------------------------------------===//

#include "runtime/ascend/Cost.h"

#include <algorithm>

using namespace weft;
using namespace weft::ascend;

static int64_t dividedUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit;
}

/// Aligned pieces of `burst` bytes that the rows touch. A row that starts where
/// the one before ended belongs to its run.
static int64_t burstsOf(const Nd2Nz &move, int64_t burst) {
  int64_t rowBytes = move.dValue * move.elementBytes, bursts = 0;
  int64_t start = 0, end = -1; // of the run
  auto close = [&] {
    if (end > start)
      bursts += dividedUp(end, burst) - start / burst;
  };
  for (int64_t i = 0; i < move.ndNum; ++i)
    for (int64_t j = 0; j < move.nValue; ++j) {
      int64_t from = move.sourceOf(i, j, 0);
      if (from != end) {
        close();
        start = from;
      }
      end = from + rowBytes;
    }
  close();
  return bursts;
}

MoveCost ascend::costOf(const Nd2Nz &move, const CubeMemory &memory) {
  MoveCost cost;
  if (move.isEmpty())
    return cost;
  cost.usefulBytes = move.readBytes();
  cost.bursts = burstsOf(move, memory.burstBytes);
  cost.readCycles =
      dividedUp(cost.bursts * memory.burstBytes, memory.readBytes);
  cost.writeCycles = dividedUp(move.writtenBytes(), memory.writeBytes);
  cost.rowCycles = move.ndNum * move.nValue * int64_t(memory.rowCycles);
  cost.cycles = memory.startCycles +
                std::max({cost.readCycles, cost.writeCycles, cost.rowCycles});
  return cost;
}

int64_t ascend::clearCycles(int64_t bytes, const CubeMemory &memory) {
  return bytes == 0 ? 0
                    : memory.startCycles + dividedUp(bytes, memory.writeBytes);
}

double ascend::bandwidthShare(int64_t usefulBytes, int64_t cycles,
                              const CubeMemory &memory) {
  if (cycles == 0)
    return 0;
  return double(usefulBytes) / (double(cycles) * memory.readBytes);
}
