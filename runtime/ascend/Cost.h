//===- Cost.h - what a move costs -----------------------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_ASCEND_COST_H
#define WEFT_RUNTIME_ASCEND_COST_H

#include "runtime/ascend/Move.h"
#include "runtime/chips/Chip.h"

namespace weft::ascend {

/// Cycles of a move by the bandwidth model of docs/ascend/planning.md, on a
/// core that has the move engine for itself:
///   cycles = start + max(read, write, rows)
/// Every number is a field of Chip::cube. No board has confirmed the sum.
struct MoveCost {
  int64_t cycles = 0;
  int64_t readCycles = 0;  ///< the bursts that hold the source rows
  int64_t writeCycles = 0; ///< the blocks, zeros included
  int64_t rowCycles = 0;   ///< one step a row
  int64_t bursts = 0; ///< aligned pieces of burstBytes that are read; a run of
                      ///< rows that continue each other is read as one
  int64_t usefulBytes = 0; ///< readBytes of the move
};

/// 0 cycles for an empty move. The move is legal.
MoveCost costOf(const Nd2Nz &move, const CubeMemory &memory);

/// Cycles to fill `bytes` of L1 with zeros.
int64_t clearCycles(int64_t bytes, const CubeMemory &memory);

/// Useful bytes as a part of what the engine could read in these cycles, 0 to
/// 1; may exceed 1 where source rows overlap.
double bandwidthShare(int64_t usefulBytes, int64_t cycles,
                      const CubeMemory &memory);

} // namespace weft::ascend

#endif // WEFT_RUNTIME_ASCEND_COST_H
