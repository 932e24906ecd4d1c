//===- PixelPatterns.cpp - functions of pixels between two turns ----------===//
//
// Exporters turn an image to put its channels last, normalize them, multiply
// them with matrices (ConvNeXt and what followed it) and turn it back, or take
// the mean of each channel. Each turn goes through DRAM. The same functions
// work on channels where they are: a matrix product is a convolution with a
// window of one pixel.
//
//===----------------------------------------------------------------------===//

#include "passes/top/Rewrite.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Move.h"
#include "dialects/top/Part.h"
#include "dialects/top/Reduce.h"
#include "dialects/top/Softmax.h"
#include "dialects/top/Unary.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace weft::top;

/// Orders of the axes: n,h,w,c of n,c,h,w and back.
static constexpr int64_t kChannelsLast[] = {0, 2, 3, 1},
                         kChannelsSecond[] = {0, 3, 1, 2};

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static bool turns(Operation *op, ArrayRef<int64_t> order) {
  auto transpose = dyn_cast_or_null<TransposeOp>(op);
  return transpose && transpose.getPerm() == order;
}

static bool isConstant(Value value) {
  return value.getDefiningOp<ConstantOp>() && typeOf(value).getRank() <= 4;
}

/// Where an axis of n,h,w,c is in n,c,h,w.
static int64_t turnedAxis(int64_t axis) {
  return llvm::find(kChannelsSecond, axis) - kChannelsSecond;
}

/// Channels that lie in several rounds over the lanes are added up from round
/// to round: 20x20 pixels of 256 take .80 of what they take as rows at F16, of
/// 512 1.7 times that.
static constexpr int64_t kMostSoftmaxChannels = 256;

/// Whether a reduction along these axes of n,h,w,c takes no longer along those
/// of n,c,h,w: the channels of each pixel, the pixels of each channel, or all.
/// Rows or columns with the channels are two reductions then, of twice the
/// time.
static bool gainsTurned(ArrayRef<int64_t> axes) {
  return axes == ArrayRef<int64_t>{3} || axes == ArrayRef<int64_t>{1, 2} ||
         axes == ArrayRef<int64_t>{1, 2, 3};
}

/// Whether `op` can do with channels that are second what it does with those
/// that are last.
static bool worksOnTurned(Operation *op) {
  if (!op || op->getNumResults() != 1 ||
      typeOf(op->getResult(0)).getRank() != 4 ||
      !isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return false;
  if (auto product = dyn_cast<MatMulOp>(op))
    return product.getLhs().getType().getRank() == 4 &&
           product.getRhs().getType().getRank() == 2 &&
           product.getRhs().getType().getNumElements() != 0 &&
           (product.getRhs().getDefiningOp<ConstantOp>() ||
            turnedConstant(product.getRhs()));
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKeepdims() && gainsTurned(reduce.getAxes());
  if (auto softmax = dyn_cast<SoftmaxOp>(op))
    return softmax.getAxis() != 3 ||
           typeOf(softmax.getInput()).getDimSize(3) <= kMostSoftmaxChannels;
  if (isa<ConcatOp, SliceOp>(op))
    return true;
  auto sameElement = [&](Value operand) {
    return typeOf(operand).getElementType() ==
           typeOf(op->getResult(0)).getElementType();
  };
  return isa<UnaryOp, BinaryOp>(op) &&
         llvm::all_of(op->getOperands(), sameElement);
}

/// Whether `op` takes axes of an image away so that the others keep their order
/// when the channels are second.
static bool reducesAway(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && !reduce.getKeepdims() && gainsTurned(reduce.getAxes());
}

namespace {
/// All that hangs together between turns to channels last and turns back, or
/// what reduces the image.
class Region {
public:
  /// False if something in between cannot work on channels that are second, or
  /// is read turned by something else.
  bool grow(TransposeOp root) {
    add(root.getOutput());
    for (size_t i = 0; i < values.size(); ++i)
      if (!addNeighbours(values[i]))
        return false;
    // Of a turn back that is turned again: these two cancel first.
    auto isExit = [&](Operation *entry) {
      return exits.contains(entry->getOperand(0).getDefiningOp());
    };
    return !exits.empty() && llvm::none_of(entries, isExit);
  }

  SetVector<Operation *> entries, steps, exits;

private:
  void add(Value value) { values.insert(value); }

  bool addStep(Operation *op) {
    if (!worksOnTurned(op))
      return false;
    if (!steps.insert(op))
      return true;
    add(op->getResult(0));
    for (Value operand : op->getOperands())
      if (!isConstant(operand) && !isMatrix(op, operand))
        add(operand);
    return true;
  }

  static bool isMatrix(Operation *op, Value operand) {
    auto product = dyn_cast<MatMulOp>(op);
    return product && product.getRhs() == operand;
  }

  bool addNeighbours(Value value) {
    if (typeOf(value).getRank() != 4)
      return false;
    Operation *maker = value.getDefiningOp();
    if (turns(maker, kChannelsLast))
      entries.insert(maker);
    else if (!addStep(maker))
      return false;
    for (Operation *user : value.getUsers()) {
      if (turns(user, kChannelsSecond) || reducesAway(user))
        exits.insert(user);
      else if (!addStep(user))
        return false;
    }
    return true;
  }

  SetVector<Value> values;
};

/// Rebuilds the steps of a region with the channels second.
class ChannelsSecond {
public:
  explicit ChannelsSecond(PatternRewriter &rewriter) : rewriter(rewriter) {}

  void enter(Operation *turn) {
    made.map(turn->getResult(0), turn->getOperand(0));
  }

  void rebuild(Operation *op) {
    rewriter.setInsertionPoint(op);
    Operation *step = buildStep(op);
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      step->setDiscardableAttr(attribute.getName(), attribute.getValue());
    step->setDiscardableAttr(kTurnedAttr, rewriter.getUnitAttr());
    made.map(op->getResult(0), step->getResult(0));
  }

  /// What a turn back gives has the model's axes, and its name; so has what is
  /// left of the image.
  void leave(Operation *turn) {
    if (auto reduce = dyn_cast<ReduceOp>(turn)) {
      rewriter.modifyOpInPlace(reduce, [&] {
        reduce.getInputMutable().assign(made.lookup(reduce.getInput()));
        reduce.setAxes(turnedAxes(reduce.getAxes()));
      });
      return;
    }
    Value value = made.lookup(turn->getOperand(0));
    if (Operation *maker = value.getDefiningOp())
      if (Attribute name = turn->getDiscardableAttr(kValueAttr);
          name && maker->hasAttr(kTurnedAttr)) {
        maker->setDiscardableAttr(kValueAttr, name);
        maker->removeDiscardableAttr(kTurnedAttr);
      }
    rewriter.replaceOp(turn, value);
  }

private:
  /// A number an axis.
  static SmallVector<int64_t> turned(ArrayRef<int64_t> shape) {
    return {shape[0], shape[3], shape[1], shape[2]};
  }
  static SmallVector<int64_t> turnedAxes(ArrayRef<int64_t> axes) {
    auto result = llvm::map_to_vector(axes, turnedAxis);
    llvm::sort(result);
    return result;
  }
  static RankedTensorType turned(Value value) {
    RankedTensorType type = typeOf(value);
    return RankedTensorType::get(turned(type.getShape()),
                                 type.getElementType());
  }

  /// `operand` with its channels second; a constant as wide as four axes.
  Value operandOf(Location location, Value operand) {
    if (Value found = made.lookupOrNull(operand))
      return found;
    RankedTensorType type = typeOf(operand);
    if (type.getNumElements() == 1)
      return operand;
    SmallVector<int64_t> shape(4 - type.getRank(), 1);
    llvm::append_range(shape, type.getShape());
    Value whole = rewriter.create<ReshapeOp>(
        location, RankedTensorType::get(shape, type.getElementType()), operand);
    auto result = RankedTensorType::get(turned(shape), type.getElementType());
    if (shape[1] == 1 && shape[2] == 1) // no element moves
      return rewriter.create<ReshapeOp>(location, result, whole);
    return rewriter.create<TransposeOp>(location, result, whole,
                                        kChannelsSecond);
  }

  Operation *buildStep(Operation *op) {
    Location location = op->getLoc();
    if (auto product = dyn_cast<MatMulOp>(op)) {
      RankedTensorType matrix = product.getRhs().getType();
      auto type = RankedTensorType::get(
          {matrix.getDimSize(1), matrix.getDimSize(0), 1, 1},
          matrix.getElementType());
      Value filter = rewriter.create<ConstantOp>(
          product.getRhs().getLoc(), filterOf(product.getRhs(), type));
      return rewriter.create<ConvOp>(location, turned(product.getOutput()),
                                     operandOf(location, product.getLhs()),
                                     filter, Value(), ArrayRef<int64_t>{1, 1},
                                     ArrayRef<int64_t>{0, 0, 0, 0},
                                     ArrayRef<int64_t>{1, 1}, 1);
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(operandOf(location, operand));
    Operation *step = rewriter.clone(*op);
    step->setOperands(operands);
    step->getResult(0).setType(turned(op->getResult(0)));
    if (auto reduce = dyn_cast<ReduceOp>(step))
      reduce.setAxes(turnedAxes(reduce.getAxes()));
    if (auto softmax = dyn_cast<SoftmaxOp>(step))
      softmax.setAxis(turnedAxis(softmax.getAxis()));
    if (auto concat = dyn_cast<ConcatOp>(step))
      concat.setAxis(turnedAxis(concat.getAxis()));
    if (auto slice = dyn_cast<SliceOp>(step)) {
      slice.setStarts(turned(slice.getStarts()));
      slice.setSteps(turned(slice.getSteps()));
    }
    return step;
  }

  PatternRewriter &rewriter;
  IRMapping made;
};

/// transpose(f(transpose(x))) -> f(x) for all f in between.
struct ChannelsStaySecond : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    if (!turns(op, kChannelsLast))
      return failure();
    Region region;
    if (!region.grow(op))
      return failure();
    ChannelsSecond builder(rewriter);
    for (Operation *entry : region.entries)
      builder.enter(entry);
    SmallVector<Operation *> steps = region.steps.takeVector();
    llvm::sort(steps, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    for (Operation *step : steps)
      builder.rebuild(step);
    for (Operation *exit : region.exits)
      builder.leave(exit);
    for (Operation *step : llvm::reverse(steps))
      rewriter.eraseOp(step);
    for (Operation *entry : region.entries)
      rewriter.eraseOp(entry);
    return success();
  }
};

} // namespace

void weft::top::populatePixelPatterns(RewritePatternSet &patterns) {
  patterns.add<ChannelsStaySecond>(patterns.getContext());
}
