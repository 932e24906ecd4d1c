//===- TurnPrice.h - what a turn costs in a transfer of a group -*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_TURNPRICE_H
#define WEFT_PASSES_TPU_TURNPRICE_H

#include "dialects/tpu/Move.h"
#include "passes/tpu/TransferPrice.h"

namespace weft::tpu {

/// Prices of loads and stores that turn what they move, by the plans that code
/// generation will find for them.
class TurnPrice {
public:
  explicit TurnPrice(const Chip &chip) : chip(chip), transfers(chip) {}

  /// Cycles by which a group gets slower that loads the operand of `turn`
  /// instead of its result, in pieces of these sizes; kMostCycles where a load
  /// cannot say it.
  int64_t extraOfLoad(PermuteOp turn, const Dims &piece) {
    return extraOfLoad(turn, elementOf(turn.getInput()), piece);
  }
  /// The same for a turn of elements of `element` in the place of this one.
  int64_t extraOfLoad(PermuteOp turn, mlir::Type element) {
    return extraOfLoad(turn, element, dimsOf(turn.getOutput()));
  }
  /// Cycles by which a group gets slower that stores the result of `turn`
  /// instead of its operand.
  int64_t extraOfStore(PermuteOp turn, const Dims &piece) {
    return extraOfStore(turn, elementOf(turn.getInput()), piece);
  }
  int64_t extraOfStore(PermuteOp turn, mlir::Type element) {
    return extraOfStore(turn, element, dimsOf(turn.getInput()));
  }
  /// Cycles by which f32 of the 16 bits of `turn` are made sooner on the way of
  /// a turn within DRAM than by a group that loads what that has given, or
  /// turns what it loads; 0 or less if they are not.
  int64_t gainOfWidening(PermuteOp turn);
  /// Cycles that a turn within DRAM takes at least: once through the engine at
  /// full rate.
  static int64_t leastInDram(const Chip &chip, PermuteOp turn);

  const Chip &chip;

private:
  int64_t extraOfLoad(PermuteOp turn, mlir::Type element, const Dims &piece);
  int64_t extraOfStore(PermuteOp turn, mlir::Type element, const Dims &piece);
  int64_t straightCycles(PermuteOp turn, unsigned bits, bool isLoad);
  int64_t transferCycles(const Dims &dims, Dims piece, const Dims &steps,
                         unsigned bits, bool isLoad);

  TransferPrice transfers;
};

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_TURNPRICE_H
