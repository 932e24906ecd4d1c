//===- GroupLayers.cpp - --tpu-group-layers -------------------------------===//

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/GraphCheck.h"
#include "dialects/tpu/ModuleChip.h"
#include "dialects/tpu/Move.h"
#include "passes/tpu/ChipRefusal.h"
#include "passes/tpu/GroupBorder.h"
#include "passes/tpu/LaneCopies.h"
#include "passes/tpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace weft::tpu {
#define GEN_PASS_DEF_TPUGROUPLAYERS
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// Moves `ops` into a new group behind the last of them and rewires what
/// crosses its border.
static GroupOp buildGroup(const Chip &chip, ArrayRef<Operation *> ops,
                          const Tiling &tiling) {
  GroupView view = viewOps(chip, ops);
  SmallVector<Value> outputs;
  for (int output : view.outputs)
    outputs.push_back(view.value(output));
  SmallVector<Location> locations;
  for (Operation *op : ops)
    locations.push_back(op->getLoc());
  OpBuilder builder(ops.back());
  builder.setInsertionPointAfter(ops.back());
  MLIRContext *context = builder.getContext();
  auto group = builder.create<GroupOp>(
      builder.getFusedLoc(locations), TypeRange(ValueRange(outputs)),
      ValueRange(view.inputs), TilingAttr::get(context, tiling), ArrayAttr(),
      DenseI64ArrayAttr(), DenseI64ArrayAttr());
  Block *body = builder.createBlock(&group.getBody());
  DenseSet<Operation *> inside(ops.begin(), ops.end());
  for (Value input : view.inputs) {
    Value argument = body->addArgument(input.getType(), input.getLoc());
    input.replaceUsesWithIf(
        argument, [&](OpOperand &use) { return inside.count(use.getOwner()); });
  }
  builder.setInsertionPointToEnd(body);
  for (Operation *op : ops) {
    op->moveBefore(body, body->end());
    for (OpOperand &operand : op->getOpOperands()) {
      auto weight = operand.get().getDefiningOp<WeightOp>();
      if (!weight || weight->getBlock() == body)
        continue;
      builder.setInsertionPoint(op);
      operand.set(builder.clone(*weight)->getResult(0));
      if (weight->use_empty())
        weight->erase();
    }
  }
  for (auto [inner, outer] : llvm::zip(outputs, group.getOutputs()))
    inner.replaceUsesWithIf(outer, [&](OpOperand &use) {
      return use.getOwner()->getBlock() != body;
    });
  builder.setInsertionPointToEnd(body);
  builder.create<YieldOp>(group.getLoc(), outputs);
  return group;
}

namespace {
struct GroupLayers : weft::tpu::impl::TpuGroupLayersBase<GroupLayers> {
  using TpuGroupLayersBase::TpuGroupLayersBase;

  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip || failed(checkGraph(getOperation(), *chip)))
      return signalPassFailure();
    GroupSearchOptions options;
    options.maxOps = maxOps;
    options.maxSlicedOps = maxSlicedOps;
    options.overlapsChannels = overlapChannels;
    GroupCost cost(*chip);
    for (std::vector<Operation *> &run : collectRuns(*chip, options)) {
      Operation *failed = nullptr;
      auto choices = searchWithLaneCopies(cost, run, options, failed);
      // In a graph written by hand; the conversion has asked for each op.
      if (!choices) {
        if (std::optional<Refusal> refusal = refusalOf(failed, *chip))
          refusal->emit();
        else
          failed->emitError("is in no group that can be placed; an op that "
                            "nobody reads has no place in one");
        return signalPassFailure();
      }
      ArrayRef<Operation *> ops(run);
      std::vector<CauseAttr> borders = bordersOf(*chip, ops, *choices, options);
      for (auto [choice, border] : llvm::zip(*choices, borders)) {
        Operation *placed = ops[choice.begin];
        if (choice.end - choice.begin > 1 || !staysInDram(placed)) {
          placed = buildGroup(
              *chip, ops.slice(choice.begin, choice.end - choice.begin),
              choice.tiling);
          placed->setDiscardableAttr(
              kCyclesAttr,
              IntegerAttr::get(IntegerType::get(placed->getContext(), 64),
                               choice.price.cycles));
        }
        if (border)
          placed->setDiscardableAttr(kBorderAttr, border);
      }
    }
    settleLaneCopies(*chip, getOperation().getBody().front());
  }

  /// Whether `op` can be in a group. What DRAM does as well may have channels
  /// that no slice cuts and that are too long for a lane.
  static bool canBeGrouped(Operation &op, const Chip &chip,
                           const GroupSearchOptions &options) {
    if (!asTileable(&op))
      return false;
    return !staysInDram(&op) || fitsAlone(chip, &op, options);
  }

  /// Maximal runs of ops for groups in block order; weights do not interrupt a
  /// run.
  std::vector<std::vector<Operation *>>
  collectRuns(const Chip &chip, const GroupSearchOptions &options) {
    std::vector<std::vector<Operation *>> runs(1);
    for (Operation &op : getOperation().getBody().front()) {
      if (op.hasAttr(kBeginsGroupAttr) && !runs.back().empty())
        runs.emplace_back();
      if (canBeGrouped(op, chip, options))
        runs.back().push_back(&op);
      else if (!llvm::isa<WeightOp>(op) && !runs.back().empty())
        runs.emplace_back();
    }
    if (runs.back().empty())
      runs.pop_back();
    return runs;
  }
};
} // namespace
