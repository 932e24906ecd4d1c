//===- GroupCost.h - what a group costs in time -----------------*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_GROUPCOST_H
#define WEFT_PASSES_TPU_GROUPCOST_H

#include "passes/tpu/ArrangePrice.h"
#include "passes/tpu/GroupPlacement.h"

namespace weft::tpu {

/// What a group costs.
struct GroupPrice {
  int64_t cycles = 0; ///< until it is done
  int64_t moving = 0; ///< of them or beside them, those in which the DMA works

  /// By which groups are compared. Moving what the TIU does not wait for is not
  /// free: the DMA may have other things to bring, and cores share the DRAM.
  int64_t weight() const { return cycles + moving / 4; }
};

/// When the two engines have done what they were given so far, in cycles. Each
/// works in order; one waits for the other only where it needs its data.
class TwoQueues {
public:
  void load(int64_t cycles) { dma += cycles; }
  /// Reads what was loaded so far.
  void compute(int64_t cycles) { tiu = std::max(tiu, dma) + cycles; }
  /// When all is done if results are stored for `stores` cycles, `lastStore` of
  /// them what the TIU gives last.
  GroupPrice end(int64_t stores, int64_t lastStore) const {
    return {std::max(tiu + lastStore, dma + stores), dma + stores};
  }

private:
  int64_t dma = 0, tiu = 0;
};

/// Prices of groups: transfers by the planner, commands by their recipes, side
/// by side as the engines work.
class GroupCost {
public:
  /// Cycles at most of one transfer, so that sums of impossible ones do not
  /// overflow.
  static constexpr int64_t kMostTransfer = int64_t(1) << 36;

  explicit GroupCost(const Chip &chip) : chip(chip), transfers(chip) {}

  /// Cycles of the load of `buffer`, an input or a constant of `view`.
  int64_t loadOf(const GroupView &view, const GroupBuffer &buffer);
  /// Of the store of `piece` of `value`.
  int64_t storeOf(mlir::Value value, const Box &piece);
  /// Of a copy of an operand of `op` within DRAM.
  int64_t copyInDram(mlir::Operation *op, const OperandCopy &copy);
  /// Of a group in several slices; std::nullopt if an op has no commands for
  /// its piece.
  std::optional<GroupPrice> ofSlices(const GroupView &view,
                                     const GroupFootprint &footprint,
                                     const Tiling &tiling);

  /// Of a group whose buffers have their places.
  std::optional<GroupPrice> ofPlaced(const GroupView &view,
                                     const GroupFootprint &footprint,
                                     const Tiling &tiling,
                                     llvm::ArrayRef<BufferPlace> places);

  const Chip &chip;

private:
  struct SliceCosts;
  int64_t handOverOf(mlir::Value value, const Box &piece) const;
  std::optional<SliceCosts> ofSlice(const GroupView &view,
                                    const GroupFootprint &footprint,
                                    const SlicePlan &slice);
  static GroupPrice ofStreamed(const GroupFootprint &footprint,
                               const SliceCosts &slice,
                               llvm::ArrayRef<BufferPlace> places,
                               int64_t count);
  int64_t leastWithTurn(int64_t straight, PermuteOp turn, const Dims &dims,
                        llvm::function_ref<int64_t()> turned);

  TransferPrice transfers;
  ArrangePrice arranged{transfers};
};

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_GROUPCOST_H
