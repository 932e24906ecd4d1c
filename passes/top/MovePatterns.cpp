//===- MovePatterns.cpp - reshapes, transposes and expansions -------------===//

#include "passes/top/Rewrite.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Move.h"

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

} // namespace

void weft::top::populateMovePatterns(RewritePatternSet &patterns) {
  patterns.add<MergeTransposes, TransposeToReshape, ExpandIntoBinary>(
      patterns.getContext());
}
