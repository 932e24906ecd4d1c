//===- MoveRows.cpp - --tpu-move-rows -------------------------------------===//

#include "dialects/tpu/Binary.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/ModuleChip.h"
#include "dialects/tpu/Reduce.h"
#include "dialects/tpu/recipe/Price.h"
#include "passes/tpu/ArrangePrice.h"
#include "passes/tpu/OpsBefore.h"
#include "passes/tpu/Passes.h"
#include "passes/tpu/ValueNames.h"
#include "runtime/cycles/Cycles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace weft::tpu {
#define GEN_PASS_DEF_TPUMOVEROWS
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// `dims` with the rows of `rows`.
static Dims withRowsOf(const Dims &dims, const Dims &rows) {
  return {rows[kAxisN], rows[kAxisC], rows[kAxisH], dims[kAxisW]};
}

static bool hasRows(Value value, const Dims &rows) {
  Dims dims = dimsOf(value);
  return withRowsOf(dims, rows) == dims;
}

/// Whether `value` is one row for all.
static bool isOneRow(Value value) { return hasRows(value, {1, 1, 1, 1}); }

/// Whether each of the `rows` that `op` gives is made of one row of each of its
/// operands, the same one, or of one for all.
static bool computesOnRows(Operation *op, const Dims &rows) {
  if (op->getNumResults() != 1 || !hasRows(op->getResult(0), rows))
    return false;
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getAxis() == kAxisW;
  if (!isElementFunction(op) && !llvm::isa<BinaryOp>(op))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return hasRows(operand, rows) || isOneRow(operand);
  });
}

namespace {
/// What computes on rows in front of a `tpu.arrange`.
struct RowFunctions {
  ArrangeOp arrange;
  Value source;                 ///< all rows that they begin with
  SmallVector<Operation *> ops; ///< from the first to the last
  Value last() { return arrange.getInputs().front(); }
};

struct MoveRows : weft::tpu::impl::TpuMoveRowsBase<MoveRows> {
  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    Region &body = getOperation().getBody();
    TransferPrice transfers(*chip);
    ArrangePrice price(transfers);
    for (ArrangeOp arrange : llvm::to_vector(body.getOps<ArrangeOp>()))
      move(arrange, *chip, transfers, price);
  }

private:
  static void move(ArrangeOp arrange, const Chip &chip,
                   TransferPrice &transfers, ArrangePrice &price);
};
} // namespace

/// Whether `value` lies in DRAM even if the functions of `found` move behind
/// the arrange, where groups end.
static bool liesInDram(Value value, const RowFunctions &found) {
  Operation *maker = value.getDefiningOp();
  return !maker || !asTileable(maker) ||
         llvm::any_of(value.getUsers(), [&](Operation *user) {
           return found.arrange->isBeforeInBlock(user);
         });
}

static std::optional<RowFunctions> functionsBefore(ArrangeOp arrange) {
  if (!transferParts(arrange, /*isLoad=*/true))
    return std::nullopt;
  Dims rows = dimsOf(arrange.getInputs().front());
  OpsBefore before = opsBefore(
      arrange, [&](Operation *op) { return computesOnRows(op, rows); });
  RowFunctions found{arrange, {}, {}};
  for (Value source : before.sources) {
    if (isOneRow(source))
      continue;
    if (found.source)
      return std::nullopt;
    found.source = source;
  }
  found.ops.assign(before.ops.rbegin(), std::prev(before.ops.rend()));
  if (found.ops.empty() || !found.source || dimsOf(found.source) != rows ||
      !liesInDram(found.source, found))
    return std::nullopt;
  return found;
}

/// Cycles of `ops` on whole tensors; kMostCycles if one has no price.
static int64_t computing(ArrayRef<Operation *> ops, const Chip &chip) {
  int64_t sum = 0;
  for (Operation *op : ops) {
    std::optional<Price> price =
        priceOf(op, chip, Box::whole(dimsOf(op->getResult(0))));
    if (!price)
      return cycles::kMostCycles;
    sum += price->cycles;
  }
  return sum;
}

/// The functions on the rows in their new order, behind an order of their
/// source, which is the first of them.
static SmallVector<Operation *> createBehind(RowFunctions &found) {
  ArrangeOp arrange = found.arrange;
  OpBuilder builder(arrange);
  Dims rows = dimsOf(arrange.getOutput());
  auto typeOf = [&](Value value) {
    return RankedTensorType::get(withRowsOf(dimsOf(value), rows),
                                 elementOf(value));
  };
  IRMapping ordered;
  SmallVector<Operation *> made{builder.create<ArrangeOp>(
      arrange.getLoc(), typeOf(found.source), found.source,
      arrange.getPiecesAttr(), IntegerAttr())};
  ordered.map(found.source, made.front()->getResult(0));
  for (Operation *op : found.ops) {
    made.push_back(builder.clone(*op, ordered));
    made.back()->getResult(0).setType(typeOf(op->getResult(0)));
    dropName(made.back());
  }
  return made;
}

void MoveRows::move(ArrangeOp arrange, const Chip &chip,
                    TransferPrice &transfers, ArrangePrice &price) {
  std::optional<RowFunctions> found = functionsBefore(arrange);
  if (!found)
    return;
  SmallVector<Operation *> made = createBehind(*found);
  auto loading = [&](Operation *op) {
    auto order = llvm::cast<ArrangeOp>(op);
    return price.cycles(order, /*isLoad=*/true, dimsOf(order.getOutput()));
  };
  Dims dims = dimsOf(found->last());
  LocalTensor stored{dims, elementBits(elementOf(found->last())),
                     LocalLayout::Aligned};
  int64_t behind = loading(made.front()) +
                   computing(ArrayRef(made).drop_front(), chip),
          before = loading(arrange) + computing(found->ops, chip) +
                   transfers.cycles(stored, denseSteps(dims), /*isLoad=*/false);
  if (behind >= before) {
    for (Operation *op : llvm::reverse(made))
      op->erase();
    return;
  }
  takeName(made.back(), arrange);
  arrange.replaceAllUsesWith(made.back());
  arrange.erase();
  for (Operation *op : llvm::reverse(found->ops))
    op->erase();
}
