//===- KeepRows.cpp - --tpu-keep-rows -------------------------------------===//

#include "dialects/tpu/Binary.h"
#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Decision.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/MatMul.h"
#include "dialects/tpu/ModuleChip.h"
#include "dialects/tpu/Move.h"
#include "dialects/tpu/Softmax.h"
#include "passes/tpu/GroupSearch.h"
#include "passes/tpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace weft::tpu {
#define GEN_PASS_DEF_TPUKEEPROWS
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// While the pass runs: a turn that it made, which may move on; a product that
/// it may take.
static constexpr llvm::StringLiteral kTurnAttr = "tpu.turn";

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// That of the same rows with c and h in each other's place.
static RankedTensorType turnedType(ArrayRef<int64_t> shape, Type element) {
  return RankedTensorType::get({shape[0], shape[2], shape[1], shape[3]},
                               element);
}

/// n, h, c, w of `value`; where c or h is 1 nothing moves.
static Operation *createTurn(PatternRewriter &rewriter, Location location,
                             Value value) {
  ArrayRef<int64_t> from = shapeOf(value);
  RankedTensorType type = turnedType(from, elementOf(value));
  Operation *turn;
  if (from[1] == 1 || from[2] == 1)
    turn = rewriter.create<ReshapeOp>(location, type, value);
  else
    turn = rewriter.create<PermuteOp>(location, type, value,
                                      ArrayRef<int64_t>{0, 2, 1, 3});
  turn->setDiscardableAttr(kTurnAttr, rewriter.getUnitAttr());
  return turn;
}

/// The same constant with c and h in each other's place; null if its bytes
/// cannot be read.
static Value turnedWeight(PatternRewriter &rewriter, WeightOp weight) {
  ArrayRef<int64_t> shape = shapeOf(weight);
  std::optional<std::vector<char>> bytes = constantBytes(weight.getValue());
  if (!bytes)
    return Value();
  int64_t channels = shape[kAxisC], rows = shape[kAxisH];
  size_t rowBytes = bytes->size() / (shape[kAxisN] * channels * rows);
  std::vector<char> turned(bytes->size());
  for (int64_t row = 0; row < shape[kAxisN] * channels * rows; ++row) {
    int64_t n = row / (channels * rows), c = row / rows % channels,
            h = row % rows, to = (n * rows + h) * channels + c;
    std::memcpy(turned.data() + to * rowBytes, bytes->data() + row * rowBytes,
                rowBytes);
  }
  return rewriter.create<WeightOp>(
      weight.getLoc(),
      weightAttr(turnedType(shape, elementOf(weight)), std::move(turned)));
}

/// Whether what `op` reads and gives is in DRAM whatever the groups will be,
/// but for turns.
static bool standsAlone(MatMulOp op) {
  auto moves = [](Operation *op) {
    return llvm::isa_and_present<PermuteOp, ReshapeOp>(op);
  };
  auto isInLanes = [](Operation *op) {
    return op && !llvm::isa<WeightOp>(op) && asTileable(op);
  };
  auto isRead = [&](Operation *user) {
    while (moves(user) && user->hasOneUse())
      user = *user->user_begin();
    return isInLanes(user);
  };
  auto isMade = [&](Value value) {
    Operation *maker = value.getDefiningOp();
    while (moves(maker))
      maker = maker->getOperand(0).getDefiningOp();
    return isInLanes(maker);
  };
  return llvm::none_of(op->getUsers(), isRead) &&
         llvm::none_of(op->getOperands(), isMade);
}

/// Whether `op` can be a product of rows. The cube, which multiplies f32,
/// multiplies in DRAM as well, and there pieces are loaded while others are
/// multiplied.
static bool canKeepRows(MatMulOp op, const Chip &chip) {
  ArrayRef<int64_t> left = shapeOf(op.getLhs()), right = shapeOf(op.getRhs());
  Type element = elementOf(op.getOutput());
  auto unreadable = [](Value value) {
    auto weight = value.getDefiningOp<WeightOp>();
    return weight && !hasBytes(weight.getValue());
  };
  if (!llvm::isa<FloatType>(element) || unreadable(op.getLhs()) ||
      unreadable(op.getRhs()) || left[kAxisC] != right[kAxisC] ||
      (element.isF32() && (standsAlone(op) || left[kAxisW] > kWholeInnerF32)))
    return false;
  // Made to be asked.
  OpBuilder builder(op);
  auto turned = [&](Value value, ArrayRef<int64_t> shape) {
    return builder.create<ReshapeOp>(op.getLoc(), turnedType(shape, element),
                                     value);
  };
  auto lhs = turned(op.getLhs(), left), rhs = turned(op.getRhs(), right);
  auto product = builder.create<RowMatMulOp>(
      op.getLoc(), turnedType(op.getOutput().getType().getShape(), element),
      lhs, rhs, /*transposed=*/false);
  bool fits = fitsAlone(chip, product, {});
  for (Operation *made :
       {product.getOperation(), rhs.getOperation(), lhs.getOperation()})
    made->erase();
  return fits;
}

/// Products that may be taken are marked alike.
static bool isTurn(Operation *op) {
  return llvm::isa_and_present<PermuteOp, ReshapeOp>(op) &&
         op->hasAttr(kTurnAttr);
}

static bool undo(PermuteOp first, PermuteOp second) {
  return llvm::is_sorted(orderOfBoth(first, second));
}

/// `last` gives the value that `old` gave, and has its name.
static void replaceNamed(PatternRewriter &rewriter, Operation *old,
                         Operation *last) {
  for (NamedAttribute attribute : old->getDiscardableAttrs())
    if (attribute.getName() != kRecipeAttr && attribute.getName() != kTurnAttr)
      last->setDiscardableAttr(attribute.getName(), attribute.getValue());
  rewriter.replaceOp(old, last->getResults());
}

/// A copy of `op` on another first operand, with a result of this shape. It
/// gives another value than `op` and has no name.
static Operation *cloneOn(PatternRewriter &rewriter, Operation *op,
                          Value operand) {
  Operation *moved = rewriter.clone(*op);
  for (NamedAttribute name : llvm::to_vector(moved->getDiscardableAttrs()))
    moved->removeDiscardableAttr(name.getName());
  moved->setOperand(0, operand);
  moved->getResult(0).setType(
      RankedTensorType::get(shapeOf(operand), elementOf(op->getResult(0))));
  return moved;
}

namespace {

/// A batched product that is marked as one of rows between turns.
struct MatMulByRows : OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatMulOp op,
                                PatternRewriter &rewriter) const override {
    Type element = elementOf(op.getOutput());
    if (!op->hasAttr(kTurnAttr))
      return failure();
    // The right matrix from before the model turned it.
    auto turned = op.getRhs().getDefiningOp<PermuteOp>();
    bool wasRows = turned && turned.getOrder() == ArrayRef<int64_t>{0, 2, 3, 1},
         isTransposed = wasRows && !element.isF32();
    auto turn = [&](Value value) -> Value {
      if (auto weight = value.getDefiningOp<WeightOp>())
        return turnedWeight(rewriter, weight);
      return createTurn(rewriter, op.getLoc(), value)->getResult(0);
    };
    auto turnedRight = [&]() -> Value {
      if (isTransposed)
        return turned.getInput();
      if (!wasRows)
        return turn(op.getRhs());
      // From rows at once, not by way of heads.
      return rewriter.create<PermuteOp>(
          turned.getLoc(), turnedType(shapeOf(turned.getOutput()), element),
          turned.getInput(), ArrayRef<int64_t>{0, 3, 2, 1});
    };
    Value lhs = turn(op.getLhs()), rhs = turnedRight();
    RankedTensorType type = turnedType(shapeOf(op.getOutput()), element);
    auto product =
        rewriter.create<RowMatMulOp>(op.getLoc(), type, lhs, rhs, isTransposed);
    replaceNamed(rewriter, op,
                 createTurn(rewriter, op.getLoc(), product.getOutput()));
    return success();
  }
};

/// `value`, a constant or one row for all, beside tensors that are turned; null
/// of what is computed.
Value beside(PatternRewriter &rewriter, Value value) {
  ArrayRef<int64_t> shape = shapeOf(value);
  if (shape[kAxisC] == 1 && shape[kAxisH] == 1)
    return value;
  auto weight = value.getDefiningOp<WeightOp>();
  return weight ? turnedWeight(rewriter, weight) : Value();
}

/// Whether `op` works on each element, or each row of w, of its first operand
/// alone.
bool worksByRows(Operation *op) {
  if (auto softmax = dyn_cast<SoftmaxOp>(op))
    return softmax.getAxis() == kAxisW && !softmax.getOverLanes();
  return isElementFunction(op);
}

/// Whether the first operand is computed and decides the shape.
bool worksBesideConstant(Operation *op) {
  auto binary = dyn_cast<BinaryOp>(op);
  return binary && binary.getRhs() &&
         shapeOf(binary.getLhs()) == shapeOf(binary.getOutput());
}

/// turn(function(turned x)) is function(x).
struct TurnBeforeFunction : OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PermuteOp op,
                                PatternRewriter &rewriter) const override {
    Operation *function = op.getInput().getDefiningOp();
    if (!isTurn(op) || !function || !isElementFunction(function) ||
        !function->hasOneUse())
      return failure();
    auto turned = function->getOperand(0).getDefiningOp<PermuteOp>();
    if (!turned || !undo(turned, op))
      return failure();
    rewriter.replaceOp(
        op, cloneOn(rewriter, function, turned.getInput())->getResults());
    return success();
  }
};

/// function(turn(x)) is turn(function(x)), also if the rows are counted in
/// another way in between.
struct TurnBehindRows : RewritePattern {
  TurnBehindRows(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    bool isBeside = worksBesideConstant(op);
    if (!worksByRows(op) && !isBeside)
      return failure();
    Operation *last = op->getOperand(0).getDefiningOp(), *turn = last;
    if (turn && !isTurn(turn) && llvm::isa<ReshapeOp>(turn))
      turn = turn->getOperand(0).getDefiningOp();
    if (!isTurn(turn) || !last->hasOneUse() || !turn->hasOneUse())
      return failure();
    Value source = turn->getOperand(0);
    if (shapeOf(source)[kAxisW] != shapeOf(op->getResult(0))[kAxisW])
      return failure();
    Value other;
    if (isBeside && last == turn)
      other = beside(rewriter, op->getOperand(1));
    if (isBeside && !other)
      return failure();
    Operation *moved = cloneOn(rewriter, op, source);
    if (other)
      moved->setOperand(1, other);
    Operation *result = createTurn(rewriter, op->getLoc(), moved->getResult(0));
    if (last != turn)
      result = rewriter.create<ReshapeOp>(
          op->getLoc(), op->getResult(0).getType(), result->getResult(0));
    replaceNamed(rewriter, op, result);
    return success();
  }
};

/// Two turns, of the pass or of the model, that undo each other.
struct CancelTurns : OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PermuteOp op,
                                PatternRewriter &rewriter) const override {
    auto first = op.getInput().getDefiningOp<PermuteOp>();
    if (!first || !undo(first, op))
      return failure();
    rewriter.replaceOp(op, first.getInput());
    return success();
  }
};

/// Two turns of the model, one after the other.
struct MergeTurns : OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PermuteOp op,
                                PatternRewriter &rewriter) const override {
    auto first = op.getInput().getDefiningOp<PermuteOp>();
    if (!first || !first->hasOneUse() || isTurn(op) || isTurn(first))
      return failure();
    SmallVector<int64_t, 4> order = orderOfBoth(first, op);
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperand(0, first.getInput());
      op.setOrder(order);
    });
    return success();
  }
};

/// One reshape of two; none where they undo each other, turns or not.
struct MergeReshapes : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto first = op.getInput().getDefiningOp<ReshapeOp>();
    if (!first)
      return failure();
    if (first.getInput().getType() == op.getType()) {
      // The same value; it has one name.
      Operation *source = first.getInput().getDefiningOp();
      if (source && source->getNumResults() == 1 &&
          !source->hasAttr(kValueAttr))
        replaceNamed(rewriter, op, source);
      else
        rewriter.replaceOp(op, first.getInput());
      return success();
    }
    if (!first->hasOneUse() || isTurn(op) || isTurn(first))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op->setOperand(0, first.getInput()); });
    return success();
  }
};

struct KeepRows : weft::tpu::impl::TpuKeepRowsBase<KeepRows> {
  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip)
      return signalPassFailure();
    func::FuncOp func = getOperation();
    if (func.getBody().getOps<MatMulOp>().empty())
      return;
    func::FuncOp tried = func.clone();
    RewritePatternSet patterns(&getContext());
    patterns.add<MatMulByRows, TurnBeforeFunction, TurnBehindRows, CancelTurns,
                 MergeTurns, MergeReshapes>(&getContext());
    for (MatMulOp op : llvm::to_vector(tried.getBody().getOps<MatMulOp>()))
      if (canKeepRows(op, *chip))
        op->setAttr(kTurnAttr, UnitAttr::get(&getContext()));
    GreedyRewriteConfig config;
    config.useTopDownTraversal = true;
    bool isDone = succeeded(
        applyPatternsAndFoldGreedily(tried, std::move(patterns), config));
    for (Operation &op : tried.getBody().front())
      op.removeDiscardableAttr(kTurnAttr);
    int64_t heads = movedBytes(func), rows = movedBytes(tried);
    bool isLess = isDone && rows < heads;
    if (isLess)
      func.getBody().takeBody(tried.getBody());
    if (isDone && rows != heads)
      addChoice(func, rt::Question::KeepRows,
                {{"heads", heads}, {"rows", rows}}, isLess);
    tried.erase();
  }

private:
  /// Bytes that products and turns read and write in DRAM.
  static int64_t movedBytes(func::FuncOp func) {
    int64_t bytes = 0;
    auto count = [&](Value value) { bytes += tensorBytes(value); };
    for (Operation &op : func.getBody().front())
      if (llvm::isa<MatMulOp, PermuteOp>(op)) {
        llvm::for_each(op.getOperands(), count);
        llvm::for_each(op.getResults(), count);
      }
    return bytes;
  }
};

} // namespace
