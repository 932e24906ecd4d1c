//===- FoldBands.cpp - --tpu-fold-bands -----------------------------------===//

#include "dialects/tpu/GroupPlan.h"
#include "passes/tpu/BorderMoves.h"
#include "passes/tpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace weft::tpu {
#define GEN_PASS_DEF_TPUFOLDBANDS
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// Whether only groups read what `move` gives, none through another move.
static bool canFoldIntoLoads(Operation *move) {
  return llvm::all_of(move->getUses(), [](OpOperand &use) {
    auto group = dyn_cast<GroupOp>(use.getOwner());
    return group &&
           !loadMoveOf(group.getBody().getArgument(use.getOperandNumber()));
  });
}

/// Whether `image` is all that is made of the result of a group.
static bool canFoldIntoStore(FromBandsOp image) {
  auto result = dyn_cast<OpResult>(image.getInput());
  auto group = image.getInput().getDefiningOp<GroupOp>();
  return group && result.hasOneUse() &&
         !storeMoveOf(group.getBody().front().getTerminator()->getOperand(
             result.getResultNumber()));
}

namespace {
struct FoldBands : weft::tpu::impl::TpuFoldBandsBase<FoldBands> {
  void runOnOperation() override {
    Region &body = getOperation().getBody();
    for (Operation &op : llvm::make_early_inc_range(body.front()))
      if (llvm::isa<RowPhasesOp, ToBandsOp>(op) && canFoldIntoLoads(&op))
        foldIntoLoads(&op);
    for (FromBandsOp image : llvm::to_vector(body.getOps<FromBandsOp>()))
      if (canFoldIntoStore(image))
        foldIntoStore(image);
  }
};
} // namespace
