//===- ShufflePatterns.cpp - channels in another order --------------------===//
//
// A shuffle of channels (reshape, transpose, reshape) behind a convolution is
// a convolution with its filters in another order, and costs nothing. So is
// one of pixels into channels before it (slices, joined).
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

/// Every `step`-th row and column of `source`, from these on.
struct Phase {
  Value source;
  int64_t step, row, column;
};

/// What a slice, perhaps of a slice, takes of all images and channels;
/// std::nullopt if it is anything else.
std::optional<Phase> phaseOf(Value value) {
  SmallVector<int64_t, 4> starts(4, 0), steps(4, 1);
  RankedTensorType type = cast<RankedTensorType>(value.getType());
  if (type.getRank() != 4)
    return std::nullopt;
  while (auto slice = value.getDefiningOp<SliceOp>()) {
    if (!slice->hasOneUse() && slice.getInput().getDefiningOp<SliceOp>())
      return std::nullopt;
    for (unsigned axis = 0; axis < 4; ++axis) {
      starts[axis] =
          slice.getStarts()[axis] + slice.getSteps()[axis] * starts[axis];
      steps[axis] *= slice.getSteps()[axis];
    }
    value = slice.getInput();
  }
  auto whole = cast<RankedTensorType>(value.getType());
  int64_t step = steps[2];
  bool isPhase = step > 1 && steps[3] == step && starts[2] >= 0 &&
                 starts[3] >= 0 && starts[2] < step && starts[3] < step;
  for (unsigned axis = 0; axis < 4; ++axis)
    isPhase &= axis < 2
                   ? starts[axis] == 0 && steps[axis] == 1 &&
                         type.getDimSize(axis) == whole.getDimSize(axis)
                   : type.getDimSize(axis) * step == whole.getDimSize(axis);
  if (!isPhase)
    return std::nullopt;
  return Phase{value, step, starts[2], starts[3]};
}

/// conv(concat(slices)) of all phases of an image, as some detectors begin, is
/// a convolution of the image by steps, with as many weights.
struct PhasesIntoConv : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
    auto concat = op.getInput().getDefiningOp<ConcatOp>();
    if (!concat || !concat->hasOneUse() || concat.getAxis() != 1 ||
        op.getGroup() != 1 ||
        llvm::any_of(op.getDilations(), [](int64_t d) { return d != 1; }))
      return failure();
    SmallVector<Phase> phases;
    for (Value input : concat.getInputs()) {
      std::optional<Phase> phase = phaseOf(input);
      if (!phase ||
          (!phases.empty() && (phase->source != phases.front().source ||
                               phase->step != phases.front().step)))
        return failure();
      for (const Phase &other : phases)
        if (other.row == phase->row && other.column == phase->column)
          return failure();
      phases.push_back(*phase);
    }
    // Larger steps make windows of more elements than the lanes have channels.
    constexpr int64_t kStep = 2;
    int64_t step = phases.front().step;
    if (step != kStep)
      return failure();
    auto filter = constantTensor(op.getFilter());
    if (int64_t(phases.size()) != step * step || !filter)
      return failure();
    Value source = phases.front().source;
    int64_t own = cast<RankedTensorType>(source.getType()).getDimSize(1);
    std::vector<int64_t> from(filter->shape().begin(), filter->shape().end()),
        to{from[0], own, from[2] * step, from[3] * step};
    std::vector<double> weights = loadDoubles(*filter), moved(weights.size());
    size_t place = 0;
    for (int64_t oc = 0; oc < from[0]; ++oc)
      for (const Phase &phase : phases)
        for (int64_t ic = 0; ic < own; ++ic)
          for (int64_t h = 0; h < from[2]; ++h)
            for (int64_t w = 0; w < from[3]; ++w)
              moved[((oc * own + ic) * to[2] + h * step + phase.row) * to[3] +
                    w * step + phase.column] = weights[place++];
    auto times = [step](ArrayRef<int64_t> numbers) {
      return llvm::map_to_vector<4>(numbers,
                                    [step](int64_t n) { return n * step; });
    };
    SmallVector<Location> locations;
    for (Value input : concat.getInputs())
      locations.push_back(input.getLoc());
    locations.append({concat.getLoc(), op.getLoc()});
    Value newFilter =
        createFloatConstant(rewriter, op.getFilter().getLoc(), to,
                            op.getType().getElementType(), moved, "filter");
    replaceFused(rewriter, op,
                 rewriter.create<ConvOp>(
                     rewriter.getFusedLoc(locations), op.getType(), source,
                     newFilter, op.getBias(), times(op.getStrides()),
                     times(op.getPads()), op.getDilations(), 1));
    return success();
  }
};

} // namespace

void weft::top::populateShufflePatterns(RewritePatternSet &patterns) {
  patterns.add<ShuffleIntoConv, PhasesIntoConv>(patterns.getContext());
}
