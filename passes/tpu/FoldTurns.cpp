//===- FoldTurns.cpp - --tpu-fold-turns -----------------------------------===//

#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/ModuleChip.h"
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

/// Cycles that loads add which turn; kNoWay if others than groups read it, one
/// that turns it already, or one whose load cannot.
static int64_t costOfLoads(PermuteOp turn, TurnPrice &price) {
  int64_t uses = 0;
  for (OpOperand &use : turn.getOutput().getUses()) {
    auto group = dyn_cast<GroupOp>(use.getOwner());
    if (!group)
      return kNoWay;
    BlockArgument argument =
        group.getBody().getArgument(use.getOperandNumber());
    if (loadTurnOf(argument) || (isRepeated(argument) && !keepsRuns(turn)))
      return kNoWay;
    ++uses;
  }
  return uses ? uses * price.extraOfLoad(turn) : kNoWay;
}

static int64_t costOfStore(PermuteOp turn, TurnPrice &price) {
  auto result = dyn_cast<OpResult>(turn.getInput());
  auto group = turn.getInput().getDefiningOp<GroupOp>();
  if (!group || !result.hasOneUse())
    return kNoWay;
  Operation *yield = group.getBody().front().getTerminator();
  return storeTurnOf(yield->getOperand(result.getResultNumber()))
             ? kNoWay
             : price.extraOfStore(turn);
}

static void foldIntoLoads(PermuteOp turn) {
  for (OpOperand &use :
       llvm::make_early_inc_range(turn.getOutput().getUses())) {
    auto group = llvm::cast<GroupOp>(use.getOwner());
    BlockArgument argument =
        group.getBody().getArgument(use.getOperandNumber());
    OpBuilder builder = OpBuilder::atBlockBegin(&group.getBody().front());
    auto inside = llvm::cast<PermuteOp>(builder.clone(*turn));
    argument.replaceAllUsesWith(inside.getOutput());
    argument.setType(turn.getInput().getType());
    inside->setOperand(0, argument);
    use.set(turn.getInput());
  }
  turn.erase();
}

static void foldIntoStore(PermuteOp turn) {
  auto result = llvm::cast<OpResult>(turn.getInput());
  auto group = llvm::cast<GroupOp>(result.getOwner());
  Operation *yield = group.getBody().front().getTerminator();
  OpOperand &yielded = yield->getOpOperand(result.getResultNumber());
  OpBuilder builder(yield);
  auto inside = llvm::cast<PermuteOp>(builder.clone(*turn));
  inside->setOperand(0, yielded.get());
  yielded.set(inside.getOutput());
  result.setType(turn.getOutput().getType());
  turn.replaceAllUsesWith(result);
  turn.erase();
}

namespace {
struct FoldTurns : weft::tpu::impl::TpuFoldTurnsBase<FoldTurns> {
  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    auto turns = llvm::to_vector(getOperation().getBody().getOps<PermuteOp>());
    if (turns.empty())
      return;
    TurnPrice price(*chip);
    for (PermuteOp turn : turns) {
      int64_t load = costOfLoads(turn, price), store = costOfStore(turn, price);
      if (std::min(load, store) > price.leastInDram(turn))
        continue;
      if (load < store)
        foldIntoLoads(turn);
      else
        foldIntoStore(turn);
    }
  }
};
} // namespace
