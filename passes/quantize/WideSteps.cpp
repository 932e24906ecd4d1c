//===- WideSteps.cpp - which steps 16 bits cannot hold --------------------===//

#include "passes/quantize/WideSteps.h"

#include "dialects/Evaluate.h"
#include "dialects/top/Binary.h"
#include "dialects/top/Cast.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/Floats.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Move.h"
#include "dialects/top/Quantization.h"
#include "dialects/top/Reduce.h"
#include "dialects/top/Select.h"
#include "dialects/top/Unary.h"
#include "passes/quantize/Lowering.h"
#include "passes/quantize/ValueRanges.h"
#include "passes/quantize/WideProducts.h"
#include "runtime/numeric/TensorValues.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// The largest finite number of f16, and the smallest with all its digits.
static constexpr double kLargestHalf = 65504, kSmallestHalf = 0x1p-14;
/// The least largest magnitude of a tensor: numbers a 32nd of it should have
/// all their digits.
static constexpr double kLeastScale = 32 * kSmallestHalf;

static bool holdsFloats(Value value) {
  return llvm::isa<FloatType>(topElement(value));
}

/// A product with constant weights.
static bool isWeighted(Operation &op) {
  return llvm::isa<top::ConvOp, top::MatMulOp>(op) &&
         op.getOperand(1).getDefiningOp<top::ConstantOp>() != nullptr;
}

//===----------------------------------------------------------------------===//
// Digits
//===----------------------------------------------------------------------===//

/// Whether `op` counts on the digits of its float operands: 2049 is no number
/// of f16.
static bool needsDigits(Operation &op) {
  if (auto cast = dyn_cast<top::CastOp>(op)) {
    Type to = topElement(cast.getOutput());
    return holdsFloats(cast.getInput()) && llvm::isa<IntegerType>(to) &&
           !to.isInteger(1);
  }
  if (auto unary = dyn_cast<top::UnaryOp>(op)) {
    top::UnaryKind kind = unary.getKind();
    return holdsFloats(unary.getInput()) &&
           (kind == top::UnaryKind::Floor || kind == top::UnaryKind::Ceil ||
            kind == top::UnaryKind::Round || kind == top::UnaryKind::Sin ||
            kind == top::UnaryKind::Cos || kind == top::UnaryKind::Tan);
  }
  auto binary = dyn_cast<top::BinaryOp>(op);
  return binary && holdsFloats(binary.getLhs()) &&
         (binary.getKind() == top::BinaryKind::Mod ||
          binary.getKind() == top::BinaryKind::Fmod);
}

/// Whether the digits of the result are those of the operands.
static bool keepsDigits(Operation *op) {
  auto cast = dyn_cast<top::CastOp>(op);
  return (cast && holdsFloats(cast.getInput())) ||
         llvm::isa<top::UnaryOp, top::BinaryOp, top::SelectOp, top::ReshapeOp,
                   top::TransposeOp, top::SliceOp, top::ConcatOp,
                   top::ExpandOp>(op);
}

static bool isSineOrCosine(Operation &op) {
  auto unary = dyn_cast<top::UnaryOp>(op);
  return unary && (unary.getKind() == top::UnaryKind::Sin ||
                   unary.getKind() == top::UnaryKind::Cos);
}

/// Whether `op` is the last step of a quantization: floats that were rounded,
/// moved and bounded become integers of at most 16 bits.
static bool isQuantizing(Operation &op) {
  auto cast = dyn_cast<top::CastOp>(op);
  if (!cast || !top::codeRangeOf(topElement(cast.getOutput())))
    return false;
  for (Operation *step = cast.getInput().getDefiningOp(); step;
       step = step->getOperand(0).getDefiningOp()) {
    auto unary = dyn_cast<top::UnaryOp>(step);
    auto binary = dyn_cast<top::BinaryOp>(step);
    if (unary && unary.getKind() == top::UnaryKind::Round)
      return true;
    bool isStep =
        binary || (unary && (unary.getKind() == top::UnaryKind::Clip ||
                             unary.getKind() == top::UnaryKind::Relu));
    if (!isStep)
      return false;
  }
  return false;
}

/// What lies between the integers of a quantized graph: all that a quantization
/// is made of, back to other integers or to products of floats. A code is one
/// of 256; one rounding to 16 bits and many of them are the next one.
static void findBetweenIntegers(Block &block, WideSteps &steps) {
  llvm::DenseSet<Operation *> found;
  // Integers that become the numbers of a result, or of a product that the
  // integer unit cannot compute, do so in f32 as well.
  auto addDequantized = [&](Value value) {
    if (!top::dequantizationOf(value))
      return;
    steps.all.insert(value.getDefiningOp());
    found.insert(value.getDefiningOp());
  };
  for (Value result : block.getTerminator()->getOperands())
    addDequantized(result);
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (isWeighted(op))
      addDequantized(op.getOperand(0));
    if (!found.contains(&op) && !isQuantizing(op))
      continue;
    for (Value operand : op.getOperands()) {
      Operation *made = operand.getDefiningOp();
      if (!made || !holdsFloats(operand) || isWeighted(*made) ||
          llvm::isa<top::ConstantOp>(made))
        continue;
      steps.all.insert(made);
      steps.digits.insert(made);
      found.insert(made);
    }
  }
}

static void findDigits(Block &block, WideSteps &steps) {
  // Readers before what they read.
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    bool isSource = needsDigits(op);
    if (isSource) {
      steps.all.insert(&op);
      if (!isSineOrCosine(op))
        steps.digits.insert(&op);
    }
    if (!isSource && !steps.digits.contains(&op))
      continue;
    for (Value operand : op.getOperands())
      if (Operation *made = operand.getDefiningOp();
          made && holdsFloats(operand) && keepsDigits(made) &&
          !llvm::isa<top::ConstantOp>(made)) {
        steps.all.insert(made);
        steps.digits.insert(made);
      }
  }
}

//===----------------------------------------------------------------------===//
// Range
//===----------------------------------------------------------------------===//

namespace {
class RangeSteps {
public:
  RangeSteps(const CalibrationTable &table, bool isProgramInt8)
      : ranges(&table), isProgramInt8(isProgramInt8) {}

  /// Whether `op` is computed as int8 programs do; what is asked next is.
  void begin(Operation &op) {
    isInt8 = isProgramInt8 && !op.hasAttr(top::kFloatsAttr);
  }

  bool needsRange(Operation &op) {
    if (isWeighted(op))
      return !fits(op.getResult(0)) || (!isInt8 && !fits(op.getOperand(0))) ||
             hasSumsBeyondHalf(op);
    return !llvm::all_of(op.getOperands(),
                         [&](Value operand) { return fits(operand); }) ||
           !llvm::all_of(op.getResults(),
                         [&](Value result) { return fits(result); }) ||
           hasSmallFactor(op) || growsBeforeSum(op) || isLogOfSmall(op);
  }

  /// Whether f16 holds all that is known of `value`.
  bool fits(Value value) {
    if (!holdsFloats(value) || unbounded.contains(value))
      return !unbounded.contains(value);
    std::optional<Interval> interval = ranges.of(value);
    if (seenBeyond(value) || (interval && interval->magnitude() > kLargestHalf))
      return false;
    // What is known without calibration is a bound, not what is reached.
    bool isMeasured = isInt8 && !value.getDefiningOp<top::ConstantOp>();
    const CalibrationEntry *seen = ranges.calibrated(value);
    double largest = seen ? std::max(std::fabs(seen->min), std::fabs(seen->max))
                     : isMeasured && interval ? interval->magnitude()
                                              : 0;
    return largest == 0 || largest >= kLeastScale;
  }

  /// After `op` has been asked: numbers of its result may be any if one of its
  /// operands is beyond f16 and no more is known.
  void note(Operation &op) {
    bool mayGrow =
        llvm::any_of(op.getOperands(), [&](Value v) { return !fits(v); }) ||
        (isInt8 && isSum(&op));
    if (!mayGrow || isWeighted(op))
      return;
    for (Value result : op.getResults())
      if (holdsFloats(result) && !ranges.of(result))
        unbounded.insert(result);
  }

  const CalibrationEntry *seenBeyond(Value value) {
    const CalibrationEntry *entry = ranges.calibrated(value);
    return entry && std::max(std::fabs(entry->min), std::fabs(entry->max)) >
                        kLargestHalf
               ? entry
               : nullptr;
  }

  /// Whether `op` keeps its result from 0 or 1 by a small number (the epsilon
  /// of a norm, the least argument of a logarithm), for a reader that needs it.
  bool hasNumberNearZero(Operation &op) {
    bool hasNumber = false;
    if (auto unary = dyn_cast<top::UnaryOp>(op))
      hasNumber =
          unary.getKind() == top::UnaryKind::Clip &&
          (isSmall(unary.alphaOrDefault()) || isSmall(unary.betaOrDefault()));
    else if (llvm::isa<top::SelectOp, top::BinaryOp>(op))
      hasNumber = llvm::any_of(op.getOperands(), [&](Value operand) {
        return isSmallNumber(operand);
      });
    return hasNumber && isReadNearZero(op);
  }

  /// Whether `op` gives a square, another power above 1 or a product of values
  /// of which nothing is known.
  bool growsUnknown(Operation &op) {
    auto binary = dyn_cast<top::BinaryOp>(op);
    if (!binary || !holdsFloats(op.getResult(0)) || ranges.of(op.getResult(0)))
      return false;
    Value lhs = binary.getLhs(), rhs = binary.getRhs();
    if (binary.getKind() == top::BinaryKind::Pow) {
      std::optional<Interval> exponent = ranges.of(rhs);
      return !isBounded(lhs) && (!exponent || exponent->high > 1);
    }
    return binary.getKind() == top::BinaryKind::Mul && !isBounded(lhs) &&
           !isBounded(rhs);
  }

  /// Whether `value` is a function with moderate ends, none of whose numbers
  /// says more than its distance from them (a softmax's are the smaller, the
  /// more there are), perhaps shifted and scaled by a number.
  bool isGate(Value value) {
    constexpr double kModerate = 1024;
    std::optional<Interval> range;
    if (holdsFloats(value))
      range = ranges.of(value);
    return range && range->magnitude() <= kModerate && endsLikeGate(value);
  }

private:
  /// Whether `value` is constant or has ends whatever the input is.
  bool isBounded(Value value) {
    if (value.getDefiningOp<top::ConstantOp>())
      return true;
    std::optional<Interval> range = ranges.of(value);
    return range && range->magnitude() <= kLargestHalf;
  }

  static bool endsLikeGate(Value value) {
    Operation *op = value.getDefiningOp();
    if (auto unary = dyn_cast_or_null<top::UnaryOp>(op)) {
      top::UnaryKind kind = unary.getKind();
      return kind == top::UnaryKind::Sigmoid ||
             kind == top::UnaryKind::HardSigmoid ||
             kind == top::UnaryKind::Tanh || kind == top::UnaryKind::Clip;
    }
    if (llvm::isa_and_present<top::ReshapeOp, top::TransposeOp, top::ExpandOp>(
            op))
      return endsLikeGate(op->getOperand(0));
    auto binary = dyn_cast_or_null<top::BinaryOp>(op);
    return binary &&
           ((isNumber(binary.getRhs()) && endsLikeGate(binary.getLhs())) ||
            (isNumber(binary.getLhs()) && endsLikeGate(binary.getRhs())));
  }
  static bool isNumber(Value value) {
    auto constant = value.getDefiningOp<top::ConstantOp>();
    return constant && constant.getType().getNumElements() == 1;
  }
  static bool isSum(Operation *op) {
    auto reduce = dyn_cast<top::ReduceOp>(op);
    return (reduce && (reduce.getKind() == top::ReduceKind::Sum ||
                       reduce.getKind() == top::ReduceKind::Prod)) ||
           llvm::isa<top::CumulativeOp>(op);
  }

  /// Whether a reader of `op` tells 0 from a small number, at once or behind
  /// functions that keep digits.
  static bool isReadNearZero(Operation &op, int steps = 4) {
    return llvm::any_of(op.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      auto binary = dyn_cast<top::BinaryOp>(user);
      auto unary = dyn_cast<top::UnaryOp>(user);
      if (binary && (binary.getKind() == top::BinaryKind::Pow ||
                     (binary.getKind() == top::BinaryKind::Div &&
                      use.getOperandNumber() == 1)))
        return true;
      if (unary && (unary.getKind() == top::UnaryKind::Sqrt ||
                    unary.getKind() == top::UnaryKind::Rsqrt ||
                    unary.getKind() == top::UnaryKind::Reciprocal ||
                    unary.getKind() == top::UnaryKind::Log))
        return true;
      return steps > 0 && !unary && keepsDigits(user) &&
             isReadNearZero(*user, steps - 1);
    });
  }

  /// Whether f16 makes 0 of a number that is not, or keeps few of its digits;
  /// or 1, which is read less a 1.
  static bool isSmall(double number) {
    constexpr double kNextToOne = 0x1p-11;
    double magnitude = std::fabs(number), rest = std::fabs(magnitude - 1);
    return (magnitude > 0 && magnitude < kSmallestHalf) ||
           (rest > 0 && rest < kNextToOne);
  }

  /// Whether `operand` is one number beside a tensor, and small.
  bool isSmallNumber(Value operand, bool isDivisor = false) {
    auto constant = operand.getDefiningOp<top::ConstantOp>();
    if (!constant || !holdsFloats(operand) ||
        constant.getValue().getNumElements() != 1)
      return false;
    std::optional<Interval> number = ranges.of(operand);
    double magnitude = number ? number->magnitude() : 0;
    return isSmall(isDivisor ? 1 / magnitude : magnitude);
  }

  /// A factor that f16 rounds to 0 or to few digits.
  bool hasSmallFactor(Operation &op) {
    auto binary = dyn_cast<top::BinaryOp>(op);
    bool isQuotient = binary && binary.getKind() == top::BinaryKind::Div;
    return binary && (isQuotient || binary.getKind() == top::BinaryKind::Mul) &&
           (isSmallNumber(binary.getLhs()) ||
            isSmallNumber(binary.getRhs(), /*isDivisor=*/isQuotient));
  }

  /// A logarithm of what f16 may round to 0: probabilities.
  bool isLogOfSmall(Operation &op) {
    auto unary = dyn_cast<top::UnaryOp>(op);
    if (!unary || unary.getKind() != top::UnaryKind::Log)
      return false;
    std::optional<Interval> operand = ranges.of(unary.getInput());
    return !operand || operand->low < kSmallestHalf;
  }

  /// A square, product, power or exponential of unknown size whose results are
  /// added up: the sum is one of f32, its terms should not be infinite.
  bool growsBeforeSum(Operation &op) {
    auto binary = dyn_cast<top::BinaryOp>(op);
    auto unary = dyn_cast<top::UnaryOp>(op);
    bool isComputed = binary &&
                      !binary.getLhs().getDefiningOp<top::ConstantOp>() &&
                      !binary.getRhs().getDefiningOp<top::ConstantOp>();
    bool grows = (binary &&
                  (binary.getKind() == top::BinaryKind::Pow ||
                   (binary.getKind() == top::BinaryKind::Mul && isComputed))) ||
                 (unary && unary.getKind() == top::UnaryKind::Exp);
    return grows && holdsFloats(op.getResult(0)) &&
           !ranges.of(op.getResult(0)) && llvm::any_of(op.getUsers(), isSum);
  }

  /// Whether f16 does not hold the filter of a channel, its bias or, before the
  /// last term, the sums of a depthwise convolution, which the unit rounds to
  /// it. An int8 program knows its ranges.
  bool hasSumsBeyondHalf(Operation &op) {
    auto conv = dyn_cast<top::ConvOp>(op);
    if (!conv || !isDepthwise(conv))
      return false;
    std::optional<Interval> input = ranges.of(conv.getInput());
    std::vector<double> weights = numbersOf(conv.getFilter()), bias;
    if (conv.getBias())
      bias = numbersOf(conv.getBias());
    if (weights.empty() || (conv.getBias() && bias.empty()))
      return true;
    size_t channels = size_t(cast<RankedTensorType>(conv.getFilter().getType())
                                 .getDimSize(0)),
           taps = weights.size() / channels;
    bias.resize(channels, 0);
    std::vector<double> read = readWeights(conv.getOutput(), channels);
    // What a channel gives that is so much smaller than others' is lost in
    // their rounding, where they are added up.
    constexpr double kLostBeside = 0x1p-11;
    double most = 0;
    for (size_t c = 0; c < read.size(); ++c)
      most = std::max(
          most, read[c] * largestOf(ArrayRef(weights).slice(c * taps, taps)));
    for (size_t c = 0; c < channels; ++c) {
      ArrayRef<double> own = ArrayRef(weights).slice(c * taps, taps);
      double given = std::max(largestOf(own), std::fabs(bias[c]));
      bool isOff = !read.empty() && read[c] * given < most * kLostBeside;
      if (!isOff && leavesHalf(own, bias[c], input))
        return true;
    }
    return !input && isProgramInt8;
  }

  static double largestOf(ArrayRef<double> numbers) {
    double largest = 0;
    for (double number : numbers)
      largest = std::max(largest, std::fabs(number));
    return largest;
  }

  /// Functions that give about as little for numbers near 0, or less.
  static bool shrinks(top::UnaryKind kind) {
    switch (kind) {
    case top::UnaryKind::Relu:
    case top::UnaryKind::LeakyRelu:
    case top::UnaryKind::Clip:
    case top::UnaryKind::HardSwish:
    case top::UnaryKind::Swish:
    case top::UnaryKind::Gelu:
    case top::UnaryKind::GeluTanh:
      return true;
    default:
      return false;
    }
  }

  /// Of each channel of `value` the largest weight of the convolutions that add
  /// them up; empty if anything else reads it but functions that shrink.
  static std::vector<double> readWeights(Value value, size_t channels) {
    std::vector<double> largest(channels, 0);
    for (Operation *user : value.getUsers()) {
      std::vector<double> read;
      auto unary = dyn_cast<top::UnaryOp>(user);
      auto conv = dyn_cast<top::ConvOp>(user);
      if (unary && shrinks(unary.getKind()))
        read = readWeights(unary.getOutput(), channels);
      else if (conv && conv.getGroup() == 1 && conv.getInput() == value)
        read = largestByInput(numbersOf(conv.getFilter()), conv, channels);
      if (read.size() != channels)
        return {};
      for (size_t c = 0; c < channels; ++c)
        largest[c] = std::max(largest[c], read[c]);
    }
    return largest;
  }

  static std::vector<double> largestByInput(ArrayRef<double> weights,
                                            top::ConvOp conv, size_t channels) {
    auto filter = cast<RankedTensorType>(conv.getFilter().getType());
    if (weights.empty() || size_t(filter.getDimSize(1)) != channels)
      return {};
    size_t taps = weights.size() / (filter.getDimSize(0) * channels);
    std::vector<double> largest(channels, 0);
    for (size_t i = 0; i < weights.size(); ++i) {
      double &own = largest[i / taps % channels];
      own = std::max(own, std::fabs(weights[i]));
    }
    return largest;
  }

  /// Of one channel of a depthwise convolution.
  static bool leavesHalf(ArrayRef<double> weights, double bias,
                         std::optional<Interval> input) {
    double largest = largestOf(weights), sum = 0;
    for (double weight : weights)
      sum += std::fabs(weight);
    // Weights of few digits are no loss beside a bias that rounds as much:
    // channels that training has switched off.
    constexpr double kLeastStep = 0x1p-24, kDigits = 0x1p-11;
    double lost =
        kLeastStep * double(weights.size()) * (input ? input->magnitude() : 1);
    bool losesDigits = largest > 0 && largest < kSmallestHalf &&
                       lost > kDigits * std::fabs(bias);
    return losesDigits || largest > kLargestHalf ||
           std::fabs(bias) > kLargestHalf ||
           (input && sum * input->magnitude() + std::fabs(bias) > kLargestHalf);
  }

  /// Of a constant of floats; empty if its numbers are not known.
  static std::vector<double> numbersOf(Value value) {
    auto constant = value.getDefiningOp<top::ConstantOp>();
    if (!constant)
      return {};
    FailureOr<numeric::HostTensor> tensor =
        toHostTensor(constant.getValue(), constant.getLoc());
    return failed(tensor) ? std::vector<double>()
                          : numeric::loadDoubles(*tensor);
  }

  ValueRanges ranges;
  bool isProgramInt8, isInt8 = isProgramInt8;
  llvm::DenseSet<Value> unbounded;
};
} // namespace

/// The ops that a product takes along: its bias and relu.
static bool isTakenAlong(Operation *op) {
  auto unary = dyn_cast<top::UnaryOp>(op);
  auto binary = dyn_cast<top::BinaryOp>(op);
  return (unary && unary.getKind() == top::UnaryKind::Relu) ||
         (binary && binary.getKind() == top::BinaryKind::Add &&
          (binary.getLhs().getDefiningOp<top::ConstantOp>() ||
           binary.getRhs().getDefiningOp<top::ConstantOp>()));
}

WideSteps quantize::findWideSteps(func::FuncOp func,
                                  const CalibrationTable &table, bool hasRange,
                                  bool isInt8) {
  WideSteps steps;
  Block &block = func.getBody().front();
  findDigits(block, steps);
  findBetweenIntegers(block, steps);
  if (hasRange)
    return steps;
  RangeSteps range(table, isInt8);
  llvm::DenseSet<const CalibrationEntry *> reported;
  auto report = [&](Value value) {
    const CalibrationEntry *entry = range.seenBeyond(value);
    if (entry && reported.insert(entry).second)
      steps.beyondHalf.push_back(entry);
  };
  for (BlockArgument argument : block.getArguments())
    report(argument);
  for (Operation &op : block.without_terminator()) {
    if (llvm::isa<top::ConstantOp>(op))
      continue;
    range.begin(op);
    bool hasNumber = range.hasNumberNearZero(op);
    if (hasNumber || range.needsRange(op))
      steps.all.insert(&op);
    if (hasNumber) // its readers need it, too
      steps.digits.insert(&op);
    range.note(op);
    llvm::for_each(op.getResults(), report);
    for (Value result : op.getResults())
      if (range.isGate(result))
        steps.gates.insert(result);
    if (!steps.unknownGrowth && !steps.all.contains(&op) &&
        range.growsUnknown(op))
      steps.unknownGrowth = op.getResult(0);
  }
  for (Operation &op : llvm::reverse(block.without_terminator()))
    if ((isWeighted(op) || isTakenAlong(&op)) && op.hasOneUse() &&
        isTakenAlong(*op.user_begin()) && steps.all.contains(*op.user_begin()))
      steps.all.insert(&op);
  return steps;
}
