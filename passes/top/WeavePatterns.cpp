//===- WeavePatterns.cpp - what goes through interleaved convolutions -----===//
//
// A transposed convolution is woven from plain ones. What follows it and works
// on each value, or each channel, alone goes to these, which take it along.
//
//===----------------------------------------------------------------------===//

#include "passes/top/Rewrite.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Conv.h"
#include "dialects/top/Norm.h"
#include "dialects/top/Resize.h"
#include "dialects/top/Unary.h"

using namespace mlir;
using namespace weft;
using namespace weft::top;

namespace {

/// `op` of a woven value becomes the weaving of `op` of each convolution.
/// `operand` is the number of the woven operand.
LogicalResult moveUp(PatternRewriter &rewriter, Operation *op,
                     unsigned operand) {
  auto woven = op->getOperand(operand).getDefiningOp<InterleaveOp>();
  auto isConv = [](Value input) {
    return input.getDefiningOp<ConvOp>() && input.hasOneUse();
  };
  if (!woven || !woven->hasOneUse() || woven.getInputs().size() < 2 ||
      !llvm::all_of(woven.getInputs(), isConv) ||
      op->getResult(0).getType() != woven.getType())
    return failure();
  SmallVector<Value> parts;
  for (Value input : woven.getInputs()) {
    Operation *part = rewriter.clone(*op);
    part->removeDiscardableAttr(kValueAttr);
    part->setOperand(operand, input);
    part->getResult(0).setType(input.getType());
    parts.push_back(part->getResult(0));
  }
  replaceFused(rewriter, op,
               rewriter.create<InterleaveOp>(
                   rewriter.getFusedLoc({woven.getLoc(), op->getLoc()}),
                   woven.getType(), parts, woven.getFactors()));
  return success();
}

struct BatchNormOverWeave : OpRewritePattern<BatchNormOp> {
  // Before it becomes a multiplication and an addition.
  BatchNormOverWeave(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(BatchNormOp op,
                                PatternRewriter &rewriter) const override {
    return moveUp(rewriter, op, 0);
  }
};

struct ReluOverWeave : OpRewritePattern<UnaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(UnaryOp op,
                                PatternRewriter &rewriter) const override {
    return op.getKind() == UnaryKind::Relu ? moveUp(rewriter, op, 0)
                                           : failure();
  }
};

struct BinaryOverWeave : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op,
                                PatternRewriter &rewriter) const override {
    for (const BesideChannels &woven : operandsBesideChannels(op))
      if (succeeded(moveUp(rewriter, op, woven.operand)))
        return success();
    return failure();
  }
};

} // namespace

void weft::top::populateWeavePatterns(RewritePatternSet &patterns) {
  patterns.add<BatchNormOverWeave, ReluOverWeave, BinaryOverWeave>(
      patterns.getContext());
}
