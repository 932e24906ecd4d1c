//===- ShufflePatterns.cpp - channels in another order --------------------===//
//
// A shuffle of channels (reshape, transpose, reshape) behind a convolution is
// a convolution with its filters in another order, and costs nothing.
//
//===----------------------------------------------------------------------===//

#include "passes/top/Rewrite.h"

#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/Move.h"
#include "dialects/top/Unary.h"
#include "runtime/numeric/TensorValues.h"

using namespace mlir;
using namespace weft;
using namespace weft::top;

namespace {

/// How many leading axes of `shape` make up `size` elements, none of which is
/// split; -1 if there is no such number.
int64_t axesOf(ArrayRef<int64_t> shape, int64_t size) {
  int64_t product = 1;
  for (size_t axis = 0; axis <= shape.size(); ++axis) {
    if (product == size)
      return static_cast<int64_t>(axis);
    if (axis < shape.size())
      product *= shape[axis];
  }
  return -1;
}

/// For each channel of the reshape's result the channel of `input` that it is,
/// if reshape, transpose and reshape only put channels in another order.
std::optional<std::vector<int64_t>> matchShuffle(ReshapeOp last, Value &input) {
  auto transpose = last.getInput().getDefiningOp<TransposeOp>();
  auto first =
      transpose ? transpose.getInput().getDefiningOp<ReshapeOp>() : ReshapeOp();
  if (!first || !transpose->hasOneUse() || !first->hasOneUse() ||
      first.getInput().getType() != last.getType())
    return std::nullopt;
  input = first.getInput();
  ArrayRef<int64_t> whole = last.getType().getShape(),
                    split = first.getType().getShape();
  if (whole.size() < 3 || whole[0] == 0 || whole[1] < 2)
    return std::nullopt;
  int64_t begin = axesOf(split, whole[0]),
          end = axesOf(split, whole[0] * whole[1]);
  ArrayRef<int64_t> order = transpose.getPerm();
  if (begin < 0 || end < 0)
    return std::nullopt;
  for (int64_t axis = 0; axis < int64_t(order.size()); ++axis)
    if ((axis < begin || axis >= end) && order[axis] != axis)
      return std::nullopt;
  std::vector<int64_t> channels(whole[1]);
  for (int64_t to = 0; to < whole[1]; ++to) {
    int64_t rest = to;
    SmallVector<int64_t> index(split.size(), 0);
    for (int64_t axis = end - 1; axis >= begin; --axis) {
      index[order[axis]] = rest % split[order[axis]];
      rest /= split[order[axis]];
    }
    for (int64_t axis = begin; axis < end; ++axis)
      channels[to] = channels[to] * split[axis] + index[axis];
  }
  return channels;
}

/// `conv` with its output channels in the order `channels`, its groups written
/// out with zeros; null if filter or bias is no constant.
ConvOp reorder(PatternRewriter &rewriter, ConvOp conv,
               ArrayRef<int64_t> channels) {
  auto filter = constantTensor(conv.getFilter());
  std::optional<numeric::HostTensor> bias;
  if (!filter || (conv.getBias() && !(bias = constantTensor(conv.getBias()))))
    return {};
  std::vector<int64_t> shape(filter->shape().begin(), filter->shape().end());
  std::vector<double> weights = loadDoubles(*filter);
  int64_t count = shape[0], own = shape[1],
          groups = static_cast<int64_t>(conv.getGroup()),
          window = int64_t(weights.size()) / std::max<int64_t>(1, count * own);
  shape[1] = own * groups;
  std::vector<double> ordered(count * shape[1] * window, 0.0), biases;
  for (int64_t to = 0; to < count; ++to) {
    int64_t from = channels[to], firstInput = from / (count / groups) * own;
    std::copy_n(weights.begin() + from * own * window, own * window,
                ordered.begin() + (to * shape[1] + firstInput) * window);
  }
  Type element = conv.getType().getElementType();
  Value newFilter = createFloatConstant(rewriter, conv.getFilter().getLoc(),
                                        shape, element, ordered, "filter");
  Value newBias;
  if (bias) {
    for (int64_t channel : channels)
      biases.push_back(bias->toDouble(channel));
    newBias = createFloatConstant(rewriter, conv.getBias().getLoc(), {count},
                                  element, biases, "bias");
  }
  return rewriter.create<ConvOp>(conv.getLoc(), conv.getType(), conv.getInput(),
                                 newFilter, newBias, conv.getStrides(),
                                 conv.getPads(), conv.getDilations(), 1);
}

struct ShuffleIntoConv : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    Value value;
    std::optional<std::vector<int64_t>> channels = matchShuffle(op, value);
    if (!channels)
      return failure();
    // Functions of single elements in between do not mind the order.
    SmallVector<UnaryOp> functions;
    for (UnaryOp unary; (unary = value.getDefiningOp<UnaryOp>());
         value = unary.getInput()) {
      if (!unary->hasOneUse())
        return failure();
      functions.push_back(unary);
    }
    auto conv = value.getDefiningOp<ConvOp>();
    // Without its groups a depthwise convolution would be another work.
    if (!conv || !conv->hasOneUse() ||
        int64_t(conv.getGroup()) == conv.getFilter().getType().getDimSize(0))
      return failure();
    rewriter.setInsertionPoint(op);
    Operation *fused = reorder(rewriter, conv, *channels);
    if (!fused)
      return failure();
    for (UnaryOp unary : llvm::reverse(functions)) {
      Operation *clone = rewriter.clone(*unary);
      clone->removeDiscardableAttr(kValueAttr);
      clone->setOperand(0, fused->getResult(0));
      fused = clone;
    }
    fused->setLoc(rewriter.getFusedLoc({fused->getLoc(), op.getLoc()}));
    replaceFused(rewriter, op, fused);
    return success();
  }
};

} // namespace

void weft::top::populateShufflePatterns(RewritePatternSet &patterns) {
  patterns.add<ShuffleIntoConv>(patterns.getContext());
}
