//===- AffinePatterns.cpp - sums and products with numbers a channel ------===//

#include "passes/top/Rewrite.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Conv.h"
#include "dialects/top/Exact.h"
#include "dialects/top/MatMul.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::top;

namespace {

/// One addition or multiplication: value + number or value * number.
struct Step {
  BinaryOp op;
  Value value;
  bool scales;
  bool isOneNumber;            ///< the same for every channel
  std::vector<double> numbers; ///< one a channel, finite
};

/// What a run of steps computes of its first value: x * multiplier + offset.
struct Composition {
  std::vector<double> multipliers, offsets;
  bool adds = false;
  bool scales = false;
};

} // namespace

static std::optional<Step> stepOf(Operation *operation) {
  auto op = dyn_cast_if_present<BinaryOp>(operation);
  if (!op || op->hasAttr(kExactAttr) ||
      !isa<FloatType>(op.getType().getElementType()))
    return std::nullopt;
  BinaryKind kind = op.getKind();
  for (BesideChannels &beside : operandsBesideChannels(op)) {
    auto constant =
        cast<RankedTensorType>(op->getOperand(1 - beside.operand).getType());
    Step step{op, op->getOperand(beside.operand),
              kind == BinaryKind::Mul || kind == BinaryKind::Div,
              constant.getNumElements() == 1, std::move(beside.numbers)};
    for (double &number : step.numbers)
      number = kind == BinaryKind::Sub   ? -number
               : kind == BinaryKind::Div ? 1.0 / number
                                         : number;
    if (step.value.getType() == op.getType() &&
        llvm::all_of(step.numbers, [](double n) { return std::isfinite(n); }))
      return step;
  }
  return std::nullopt;
}

/// The steps that lead to `last`, the first one first; only `last` may be read
/// by others.
static SmallVector<Step, 4> stepsTo(BinaryOp last) {
  SmallVector<Step, 4> steps;
  for (std::optional<Step> step = stepOf(last); step;) {
    Value value = step->value;
    steps.push_back(std::move(*step));
    step = value.hasOneUse() ? stepOf(value.getDefiningOp()) : std::nullopt;
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

/// Whether `value` is exact where an operator on 8-bit integers is imitated:
/// one of them, or a sum of products.
static bool isOfBytes(Value value) {
  if (auto product = value.getDefiningOp();
      product && isa<ConvOp, MatMulOp>(product))
    value = product->getOperand(0);
  return isCastOfBytes(value);
}

/// A number that every float type of 16 bits holds to its full precision.
static bool isOrdinary(double number) {
  return number == 0 ||
         (std::fabs(number) >= 0x1p-14 && std::fabs(number) <= 65504);
}

/// std::nullopt if a number comes out beyond the range in which its parts lie,
/// so that a 16-bit program could no longer hold it, or if additions cancel.
static std::optional<Composition> compose(ArrayRef<Step> steps) {
  Composition result;
  size_t channels = steps.front().numbers.size();
  result.multipliers.assign(channels, 1.0);
  result.offsets.assign(channels, 0.0);
  for (size_t c = 0; c < channels; ++c) {
    double &multiplier = result.multipliers[c], &offset = result.offsets[c];
    bool wasOrdinary = true;
    for (const Step &step : steps) {
      double number = step.numbers[c];
      wasOrdinary &= isOrdinary(number);
      if (step.scales) {
        multiplier *= number;
        offset *= number;
        continue;
      }
      // What all but cancels was added to be rounded away.
      double sum = offset + number,
             largest = std::max(std::fabs(offset), std::fabs(number));
      if (offset != 0 && std::fabs(sum) < largest * 0x1p-8)
        return std::nullopt;
      offset = sum;
      // x + 0 is not x if that is -0; x - 0 is.
      result.adds |= number != 0 || !std::signbit(number);
    }
    bool isBeyond = !isOrdinary(multiplier) || std::fabs(offset) > 65504;
    if (wasOrdinary && isBeyond)
      return std::nullopt;
    result.scales |= multiplier != 1.0;
  }
  return result;
}

namespace {

/// A multiplication and what follows it, additions and multiplications, become
/// one of each at most. An addition before them stays: (x - mean) * k has fewer
/// digits to lose than x * k - mean * k.
struct ComposeAffine : OpRewritePattern<BinaryOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BinaryOp op,
                                PatternRewriter &rewriter) const override {
    // Doubles stay step by step: what f32 cannot hold is for the host.
    if (op.getType().getElementType().isF64())
      return failure();
    SmallVector<Step, 4> all = stepsTo(op);
    auto shifts = [](const Step &step) {
      return !step.scales &&
             llvm::any_of(step.numbers, [](double n) { return n != 0; });
    };
    auto *begin = llvm::find_if_not(all, shifts);
    SmallVector<Step, 4> steps(std::make_move_iterator(begin),
                               std::make_move_iterator(all.end()));
    if (steps.size() < 2 || isOfBytes(steps.front().value))
      return failure();
    std::optional<Composition> whole = compose(steps);
    if (!whole || steps.size() <= size_t(whole->scales) + size_t(whole->adds))
      return failure();
    // One number stays one: such a function is of elements, not of channels.
    bool isOneNumber =
        llvm::all_of(steps, [](const Step &step) { return step.isOneNumber; });
    RankedTensorType type = op.getType();
    SmallVector<int64_t> shape(isOneNumber ? 0 : type.getRank() - 1, 1);
    if (!isOneNumber)
      shape.front() = type.getDimSize(1);
    SmallVector<Location> locations;
    for (Step &step : steps)
      locations.push_back(step.op.getLoc());
    Location location = rewriter.getFusedLoc(locations);
    Value value = steps.front().value;
    auto append = [&](BinaryKind kind, std::vector<double> numbers,
                      StringRef name) {
      if (isOneNumber)
        numbers.resize(1);
      Value constant = createFloatConstant(
          rewriter, location, shape, type.getElementType(), numbers, name);
      value = rewriter.create<BinaryOp>(location, type, kind, value, constant);
    };
    if (whole->scales)
      append(BinaryKind::Mul, whole->multipliers, "scale");
    if (whole->adds)
      append(BinaryKind::Add, whole->offsets, "offset");
    if (value == steps.front().value)
      rewriter.replaceOp(op, value);
    else
      replaceFused(rewriter, op, value.getDefiningOp());
    return success();
  }
};

} // namespace

void weft::top::populateAffinePatterns(RewritePatternSet &patterns) {
  patterns.add<ComposeAffine>(patterns.getContext());
}
