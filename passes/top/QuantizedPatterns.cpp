//===- QuantizedPatterns.cpp - integers of the graph stay integers --------===//
//
// Between a DequantizeLinear and a QuantizeLinear, what moves numbers can as
// well move their integers: dequantization goes behind it, and what quantizes
// again with the same scale gives the integers back.
//
//===----------------------------------------------------------------------===//

#include "passes/top/Rewrite.h"

#include "dialects/top/Move.h"
#include "dialects/top/Quantization.h"
#include "dialects/top/Unary.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace weft;
using namespace weft::top;

static Type elementTypeOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

static RankedTensorType withElement(Value value, Type element) {
  return cast<RankedTensorType>(value.getType()).clone(element);
}

/// `integers` as the numbers that they stand for in `like`; the last step takes
/// the place of `last`.
static void replaceDequantized(PatternRewriter &rewriter, Operation *last,
                               Value integers, Dequantization like) {
  Location location = last->getLoc();
  auto type = withElement(integers, rewriter.getF32Type());
  auto number = [&](double value) {
    return createFloatConstant(rewriter, location, {}, rewriter.getF32Type(),
                               {value}, "scale");
  };
  Operation *step = rewriter.create<CastOp>(location, type, integers,
                                            like.cast.getSaturateAttr(),
                                            like.cast.getRoundModeAttr());
  if (like.zeroPoint != 0)
    step = rewriter.create<BinaryOp>(location, type, BinaryKind::Sub,
                                     step->getResult(0),
                                     number(double(like.zeroPoint)));
  if (like.scale != 1)
    step = rewriter.create<BinaryOp>(location, type, BinaryKind::Mul,
                                     step->getResult(0), number(like.scale));
  replaceFused(rewriter, last, step);
}

namespace {

/// quantize(dequantize(x)) -> x where both have one scale and zero point.
struct QuantizedAgain : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Quantization> to = quantizationOf(op);
    if (!to || !to->isScalar() || to->multiplies)
      return failure();
    std::optional<Dequantization> from = dequantizationOf(to->input);
    if (!from || from->integers.getType() != op.getType() ||
        from->scale != to->scale.front() || from->zeroPoint != to->zeroPoint)
      return failure();
    rewriter.replaceOp(op, from->integers);
    return success();
  }
};

/// move(dequantize(x)) -> dequantize(move(x)).
template <typename OpT>
struct DequantizedLater : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    std::optional<Dequantization> first;
    SmallVector<Value> integers;
    for (Value operand : op->getOperands()) {
      std::optional<Dequantization> from = dequantizationOf(operand);
      if (!from || (first && !from->isLike(*first)))
        return failure();
      if (!first)
        first = from;
      integers.push_back(from->integers);
    }
    if (!first)
      return failure();
    Operation *moved = rewriter.clone(*op);
    moved->setOperands(integers);
    moved->getResult(0).setType(
        withElement(op->getResult(0), elementTypeOf(first->integers)));
    moved->setDiscardableAttrs(ArrayRef<NamedAttribute>());
    replaceDequantized(rewriter, op, moved->getResult(0), *first);
    return success();
  }
};

/// relu(dequantize(x)) -> dequantize(max(x, zero point)).
struct ReluOfIntegers : OpRewritePattern<UnaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(UnaryOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Dequantization> from = dequantizationOf(op.getInput());
    if (!from || op.getKind() != UnaryKind::Relu)
      return failure();
    Value zero = createFloatConstant(rewriter, op.getLoc(), {},
                                     elementTypeOf(from->integers),
                                     {double(from->zeroPoint)}, "zero_point");
    Value integers =
        rewriter.create<BinaryOp>(op.getLoc(), from->integers.getType(),
                                  BinaryKind::Max, from->integers, zero);
    replaceDequantized(rewriter, op, integers, *from);
    return success();
  }
};

/// quantize(concat(x, y)) -> concat(quantize(x), quantize(y)) where some of
/// them are integers.
struct QuantizedBeforeConcat : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Quantization> to = quantizationOf(op);
    auto concat = to ? to->input.getDefiningOp<ConcatOp>() : ConcatOp();
    if (!concat || !to->isScalar() ||
        llvm::none_of(concat.getInputs(),
                      [](Value input) { return dequantizationOf(input); }))
      return failure();
    SmallVector<Value> parts;
    for (Value input : concat.getInputs())
      parts.push_back(quantized(rewriter, *to, input));
    Operation *joined = rewriter.clone(*concat);
    joined->setOperands(parts);
    joined->getResult(0).setType(op.getType());
    joined->setDiscardableAttrs(ArrayRef<NamedAttribute>());
    replaceFused(rewriter, op, joined);
    return success();
  }

private:
  /// `value` by the steps that quantize another.
  static Value quantized(PatternRewriter &rewriter, const Quantization &to,
                         Value value) {
    IRMapping mapping;
    mapping.map(to.input, value);
    Operation *last = nullptr;
    for (Operation *step : to.steps) {
      last = rewriter.clone(*step, mapping);
      last->getResult(0).setType(
          withElement(value, elementTypeOf(step->getResult(0))));
      last->setDiscardableAttrs(ArrayRef<NamedAttribute>());
    }
    return last->getResult(0);
  }
};

} // namespace

void weft::top::populateQuantizedPatterns(RewritePatternSet &patterns) {
  patterns
      .add<QuantizedAgain, DequantizedLater<ReshapeOp>,
           DequantizedLater<TransposeOp>, DequantizedLater<SliceOp>,
           DequantizedLater<ConcatOp>, ReluOfIntegers, QuantizedBeforeConcat>(
          patterns.getContext());
}
