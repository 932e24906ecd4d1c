//===- FoldTurns.cpp - --tpu-fold-turns -----------------------------------===//

#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/ModuleChip.h"
#include "passes/tpu/ArrangePrice.h"
#include "passes/tpu/BorderMoves.h"
#include "passes/tpu/Passes.h"
#include "passes/tpu/TurnPrice.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <limits>

namespace weft::tpu {
#define GEN_PASS_DEF_TPUFOLDTURNS
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

static constexpr int64_t kNoWay = std::numeric_limits<int64_t>::max();

/// Whether the load of `argument` brings one channel to all lanes. Such a load
/// has no steps along w.
static bool isRepeated(BlockArgument argument) {
  return llvm::any_of(argument.getUses(), [](OpOperand &use) {
    TilingInterface op = asTileable(use.getOwner());
    return op && !op.isPackedOperand(use.getOperandNumber()) &&
           op.repeatsChannel(use.getOperandNumber());
  });
}

static bool keepsRuns(PermuteOp turn) {
  SmallVector<int64_t> steps = rowMajorSteps(dimsOf(turn.getInput()));
  return steps[turn.getOrder()[kAxisW]] == 1;
}

/// Whether the load of this operand of a group may move its pieces one by one.
static bool canFoldIntoLoad(OpOperand &use) {
  auto group = llvm::cast<GroupOp>(use.getOwner());
  BlockArgument argument = group.getBody().getArgument(use.getOperandNumber());
  return !loadMoveOf(argument) && !isRepeated(argument);
}

/// Whether only one reads what a group gives, and its store moves nothing yet.
static bool canFoldIntoStore(OpResult result) {
  auto group = llvm::cast<GroupOp>(result.getOwner());
  Operation *yield = group.getBody().front().getTerminator();
  return result.hasOneUse() &&
         !storeMoveOf(yield->getOperand(result.getResultNumber()));
}

static std::optional<SlicePlan> middleSlice(const Chip &chip, GroupOp group) {
  return planMiddleSlice(chip, viewGroup(chip, group),
                         group.tilingOrWhole().counts);
}

/// Cycles that loads add which turn; kNoWay if others than groups read it, one
/// that turns it already, or one whose load cannot.
static int64_t costOfLoads(const Chip &chip, PermuteOp turn, TurnPrice &price) {
  int64_t cost = kNoWay;
  if (turn.widens())
    return cost;
  for (OpOperand &use : turn.getOutput().getUses()) {
    auto group = dyn_cast<GroupOp>(use.getOwner());
    if (!group)
      return kNoWay;
    BlockArgument argument =
        group.getBody().getArgument(use.getOperandNumber());
    if (loadMoveOf(argument) || (isRepeated(argument) && !keepsRuns(turn)))
      return kNoWay;
    std::optional<SlicePlan> slice = middleSlice(chip, group);
    if (!slice)
      return kNoWay;
    int64_t extra =
        price.extraOfLoad(turn, slice->tiles[argument.getArgNumber()].size);
    cost = cost == kNoWay ? extra : cost + extra;
  }
  return cost;
}

static int64_t costOfStore(const Chip &chip, PermuteOp turn, TurnPrice &price) {
  auto result = dyn_cast<OpResult>(turn.getInput());
  auto group = turn.getInput().getDefiningOp<GroupOp>();
  if (!group || !canFoldIntoStore(result) || turn.widens())
    return kNoWay;
  unsigned output = result.getResultNumber();
  std::optional<SlicePlan> slice = middleSlice(chip, group);
  return slice ? price.extraOfStore(turn, slice->stores[output].size) : kNoWay;
}

/// Cycles that transfers add which arrange rows; kNoWay where a group cannot.
static int64_t costOfArranged(const Chip &chip, ArrangeOp op, bool isLoad,
                              ArrangePrice &price) {
  if (!transferParts(op, isLoad))
    return kNoWay;
  auto costIn = [&](GroupOp group, auto tileOf) {
    std::optional<SlicePlan> slice = middleSlice(chip, group);
    return slice ? price.extra(op, isLoad, tileOf(*slice)) : kNoWay;
  };
  if (!isLoad) {
    auto result = dyn_cast<OpResult>(op.getInputs().front());
    auto group = op.getInputs().front().getDefiningOp<GroupOp>();
    if (!group || !canFoldIntoStore(result))
      return kNoWay;
    return costIn(group, [&](const SlicePlan &slice) {
      return slice.stores[result.getResultNumber()].size;
    });
  }
  int64_t cost = 0;
  for (OpOperand &use : op.getOutput().getUses()) {
    auto group = dyn_cast<GroupOp>(use.getOwner());
    if (!group || !canFoldIntoLoad(use))
      return kNoWay;
    int64_t extra = costIn(group, [&](const SlicePlan &slice) {
      return slice.tiles[use.getOperandNumber()].size;
    });
    if (extra == kNoWay)
      return kNoWay;
    cost += extra;
  }
  return cost;
}

static void foldArranged(const Chip &chip, ArrangeOp op, ArrangePrice &price) {
  int64_t load = costOfArranged(chip, op, /*isLoad=*/true, price),
          store = costOfArranged(chip, op, /*isLoad=*/false, price),
          least = std::min(load, store);
  if (least == kNoWay || least > price.inDram(op))
    return;
  if (load < store)
    foldIntoLoads(op);
  else
    foldIntoStore(op);
}

namespace {
struct FoldTurns : weft::tpu::impl::TpuFoldTurnsBase<FoldTurns> {
  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    Region &body = getOperation().getBody();
    TransferPrice transfers(*chip);
    ArrangePrice arranged(transfers);
    for (ArrangeOp op : llvm::to_vector(body.getOps<ArrangeOp>()))
      foldArranged(*chip, op, arranged);
    auto turns = llvm::to_vector(body.getOps<PermuteOp>());
    if (turns.empty())
      return;
    TurnPrice price(*chip);
    for (PermuteOp turn : turns) {
      int64_t load = costOfLoads(*chip, turn, price),
              store = costOfStore(*chip, turn, price);
      if (std::min(load, store) > price.leastInDram(*chip, turn))
        continue;
      if (load < store)
        foldIntoLoads(turn);
      else
        foldIntoStore(turn);
    }
  }
};
} // namespace
