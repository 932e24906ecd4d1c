//===- BorderMoves.cpp - moves that transfers of groups do ----------------===//

#include "passes/tpu/BorderMoves.h"

#include "dialects/tpu/Group.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

void weft::tpu::foldIntoLoads(Operation *move) {
  for (OpOperand &use : llvm::make_early_inc_range(move->getUses())) {
    auto group = llvm::cast<GroupOp>(use.getOwner());
    BlockArgument argument =
        group.getBody().getArgument(use.getOperandNumber());
    OpBuilder builder = OpBuilder::atBlockBegin(&group.getBody().front());
    Operation *inside = builder.clone(*move);
    argument.replaceAllUsesWith(inside->getResult(0));
    argument.setType(move->getOperand(0).getType());
    inside->setOperand(0, argument);
    use.set(move->getOperand(0));
  }
  move->erase();
}

void weft::tpu::foldIntoStore(Operation *move) {
  auto result = llvm::cast<OpResult>(move->getOperand(0));
  auto group = llvm::cast<GroupOp>(result.getOwner());
  Operation *yield = group.getBody().front().getTerminator();
  OpOperand &yielded = yield->getOpOperand(result.getResultNumber());
  OpBuilder builder(yield);
  Operation *inside = builder.clone(*move);
  inside->setOperand(0, yielded.get());
  yielded.set(inside->getResult(0));
  result.setType(llvm::cast<RankedTensorType>(move->getResult(0).getType()));
  move->replaceAllUsesWith(ValueRange(result));
  move->erase();
}
