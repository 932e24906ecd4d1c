//===- WeavePatterns.cpp - what goes through interleaved convolutions -----===//
//
// A transposed convolution is woven from plain ones. What follows it and works
// on each value, or each channel, alone goes to these, which take it along.
//
//===----------------------------------------------------------------------===//

#include "passes/top/Rewrite.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Conv.h"
#include "dialects/top/Move.h"
#include "dialects/top/Norm.h"
#include "dialects/top/Resize.h"
#include "dialects/top/Unary.h"
#include "runtime/numeric/TensorValues.h"

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

/// Whether the patterns above will move `op`, which reads a woven value.
bool goesToPhases(Operation *op) {
  auto unary = dyn_cast<UnaryOp>(op);
  auto binary = dyn_cast<BinaryOp>(op);
  return isa<BatchNormOp>(op) ||
         (unary && unary.getKind() == UnaryKind::Relu) ||
         (binary && !operandsBesideChannels(binary).empty());
}

/// Whether two convolutions differ in their constants alone.
bool areAlike(ConvOp a, ConvOp b) {
  return a.getInput() == b.getInput() && a.getType() == b.getType() &&
         a.getFilter().getType() == b.getFilter().getType() &&
         a.getStrides() == b.getStrides() && a.getPads() == b.getPads() &&
         a.getDilations() == b.getDilations() && a.getGroup() == b.getGroup();
}

/// A few channels keep as many lanes busy, and each of the woven convolutions
/// takes the time of all lanes: one gives the channels of all, which are moved
/// to where they are woven.
struct JoinThinPhases : OpRewritePattern<InterleaveOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(InterleaveOp op,
                                PatternRewriter &rewriter) const override {
    constexpr int64_t kFewChannels = 4; // more take longer to be moved
    SmallVector<int64_t, 4> shape(
        cast<RankedTensorType>(op.getInputs().front().getType()).getShape());
    if (shape.size() != 4 || shape[1] > kFewChannels ||
        op.getInputs().size() < 2 || llvm::any_of(op->getUsers(), goesToPhases))
      return failure();
    SmallVector<ConvOp> convs;
    for (Value input : op.getInputs()) {
      auto conv = input.getDefiningOp<ConvOp>();
      if (!conv || !input.hasOneUse() || conv.getGroup() != 1 ||
          !conv->getDiscardableAttrs().empty() ||
          (!convs.empty() && !areAlike(conv, convs.front())))
        return failure();
      convs.push_back(conv);
    }
    ConvOp first = convs.front();
    std::vector<double> weights, biases;
    bool hasBias = false;
    for (ConvOp conv : convs) {
      auto filter = constantTensor(conv.getFilter());
      std::optional<numeric::HostTensor> bias;
      if (!filter ||
          (conv.getBias() && !(bias = constantTensor(conv.getBias()))))
        return failure();
      llvm::append_range(weights, loadDoubles(*filter));
      if (bias)
        llvm::append_range(biases, loadDoubles(*bias));
      else
        biases.resize(biases.size() + shape[1], 0.0);
      hasBias |= bias.has_value();
    }
    auto count = int64_t(convs.size()) * shape[1];
    Type element = first.getType().getElementType();
    SmallVector<int64_t, 4> filterShape(first.getFilter().getType().getShape()),
        joined(shape);
    filterShape[0] = joined[1] = count;
    Location location = op.getLoc();
    Value filter = createFloatConstant(rewriter, first.getFilter().getLoc(),
                                       filterShape, element, weights, "filter"),
          bias;
    if (hasBias)
      bias = createFloatConstant(rewriter, first.getLoc(), {count}, element,
                                 biases, "bias");
    Value all = rewriter.create<ConvOp>(
        first.getLoc(), RankedTensorType::get(joined, element),
        first.getInput(), filter, bias, first.getStrides(), first.getPads(),
        first.getDilations(), 1);
    SmallVector<Value> parts;
    for (int64_t i = 0; i < int64_t(convs.size()); ++i)
      parts.push_back(
          rewriter.create<SliceOp>(location, first.getType(), all,
                                   ArrayRef<int64_t>{0, i * shape[1], 0, 0},
                                   ArrayRef<int64_t>{1, 1, 1, 1}));
    replaceFused(rewriter, op,
                 rewriter.create<InterleaveOp>(location, op.getType(), parts,
                                               op.getFactors()));
    return success();
  }
};

} // namespace

void weft::top::populateWeavePatterns(RewritePatternSet &patterns) {
  patterns
      .add<BatchNormOverWeave, ReluOverWeave, BinaryOverWeave, JoinThinPhases>(
          patterns.getContext());
}
