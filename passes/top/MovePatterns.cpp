//===- MovePatterns.cpp - reshapes, transposes and expansions -------------===//

#include "passes/top/Rewrite.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Move.h"
#include "dialects/top/Unary.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace weft::top;

namespace {

/// transpose(transpose(x, p), q) -> transpose(x, p[q]).
struct MergeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<TransposeOp>();
    if (!inner)
      return failure();
    SmallVector<int64_t> perm;
    for (int64_t axis : op.getPerm())
      perm.push_back(inner.getPerm()[axis]);
    Location location = rewriter.getFusedLoc({inner.getLoc(), op.getLoc()});
    replaceFused(rewriter, op,
                 rewriter.create<TransposeOp>(location, op.getType(),
                                              inner.getInput(), perm));
    return success();
  }
};

/// A transpose that keeps the order of all axes longer than 1 moves no data.
struct TransposeToReshape : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    int64_t last = -1;
    for (int64_t axis : op.getPerm()) {
      if (op.getInput().getType().getDimSize(axis) == 1)
        continue;
      if (axis < last)
        return failure();
      last = axis;
    }
    replaceFused(
        rewriter, op,
        rewriter.create<ReshapeOp>(op.getLoc(), op.getType(), op.getInput()));
    return success();
  }
};

/// f(expand(x), y) -> f(x, y) where f repeats x as far itself.
struct ExpandIntoBinary : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op,
                                PatternRewriter &rewriter) const override {
    for (OpOperand &operand : op->getOpOperands()) {
      auto expand = operand.get().getDefiningOp<ExpandOp>();
      if (!expand)
        continue;
      Value other = op->getOperand(1 - operand.getOperandNumber());
      auto shape =
          broadcastShapes(expand.getInput().getType().getShape(),
                          cast<RankedTensorType>(other.getType()).getShape());
      if (!shape || *shape != op.getOutput().getType().getShape())
        continue;
      rewriter.modifyOpInPlace(op, [&] { operand.set(expand.getInput()); });
      return success();
    }
    return failure();
  }
};

/// Whether all that becomes of `value` is a result of the graph, perhaps turned
/// or beside others.
static bool isReturned(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::ReturnLike>() ||
           (isa<TransposeOp, ReshapeOp, ConcatOp>(user) &&
            isReturned(user->getResult(0)));
  });
}

/// f(transpose(x)) -> transpose(f(x)), reshapes among them, where the results
/// of f are on their way out. There f is one more function of those that make
/// x, while the turn can write what is returned.
struct FunctionBeforeTurn : OpRewritePattern<UnaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(UnaryOp op,
                                PatternRewriter &rewriter) const override {
    Type element = op.getType().getElementType();
    if (element != op.getInput().getType().getElementType() ||
        !isReturned(op.getOutput()))
      return failure();
    SmallVector<Operation *> moves; // the last first
    Value source = op.getInput();
    bool turns = false;
    while (source.hasOneUse() &&
           isa_and_present<TransposeOp, ReshapeOp>(source.getDefiningOp())) {
      moves.push_back(source.getDefiningOp());
      turns |= isa<TransposeOp>(moves.back());
      source = moves.back()->getOperand(0);
    }
    if (!turns || !source.hasOneUse() || !source.getDefiningOp())
      return failure();
    // Neither the function's value nor those of the moves are the model's.
    auto again = [&](Operation *step, Value operand, Type type) {
      Operation *made = rewriter.clone(*step);
      made->setOperand(0, operand);
      made->getResult(0).setType(type);
      made->removeDiscardableAttr(kValueAttr);
      return made;
    };
    Operation *last = again(op, source, source.getType());
    for (Operation *move : llvm::reverse(moves))
      last = again(move, last->getResult(0), move->getResult(0).getType());
    replaceFused(rewriter, op, last);
    return success();
  }
};

} // namespace

void weft::top::populateMovePatterns(RewritePatternSet &patterns) {
  patterns.add<MergeTransposes, TransposeToReshape, ExpandIntoBinary,
               FunctionBeforeTurn>(patterns.getContext());
}
