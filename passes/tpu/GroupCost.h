//===- GroupCost.h - what a group costs in time -----------------*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_GROUPCOST_H
#define WEFT_PASSES_TPU_GROUPCOST_H

#include "passes/tpu/GroupPlacement.h"
#include "passes/tpu/TransferPrice.h"

namespace weft::tpu {

/// When the two engines have done what they were given so far, in cycles. Each
/// works in order; one waits for the other only where it needs its data.
class TwoQueues {
public:
  void load(int64_t cycles) { dma += cycles; }
  /// Reads what was loaded so far.
  void compute(int64_t cycles) { tiu = std::max(tiu, dma) + cycles; }
  /// When all is done if results are stored for `stores` cycles, `lastStore` of
  /// them what the TIU gives last.
  int64_t end(int64_t stores, int64_t lastStore) const {
    return std::max(tiu + lastStore, dma + stores);
  }

private:
  int64_t dma = 0, tiu = 0;
};

/// Cycles of groups: transfers by the planner, commands by their recipes, side
/// by side as the engines work.
class GroupCost {
public:
  explicit GroupCost(const Chip &chip) : chip(chip), transfers(chip) {}

  /// Of the load of `buffer`, an input or a constant of `view`.
  int64_t loadOf(const GroupView &view, const GroupBuffer &buffer);
  /// Of the store of `piece` of `value`.
  int64_t storeOf(mlir::Value value, const Box &piece);
  /// Of a copy of `value` within DRAM by way of the lanes.
  int64_t copyInDram(mlir::Value value) const;
  /// Of a group in several slices; std::nullopt if an op has no commands for
  /// its piece.
  std::optional<int64_t> ofSlices(const GroupView &view,
                                  const GroupFootprint &footprint,
                                  const Dims &counts);

private:
  const Chip &chip;
  TransferPrice transfers;
};

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_GROUPCOST_H
