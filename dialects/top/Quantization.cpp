//===- Quantization.cpp - what stands for quantized numbers ---------------===//

#include "dialects/top/Quantization.h"

#include "dialects/top/Constant.h"
#include "dialects/top/Unary.h"
#include "runtime/numeric/TensorValues.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace weft;
using namespace weft::top;

static Type elementTypeOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

/// The numbers of a constant, one or one for each channel of `beside`.
static std::optional<std::vector<float>> numbersOf(Value value, Value beside) {
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant || !elementTypeOf(value).isF32())
    return std::nullopt;
  auto type = cast<RankedTensorType>(value.getType());
  auto other = cast<RankedTensorType>(beside.getType());
  int64_t count = type.getNumElements(), rank = type.getRank();
  bool isChannels = other.getRank() >= 2 && rank <= other.getRank() &&
                    rank >= other.getRank() - 1 &&
                    count == other.getDimSize(1) &&
                    type.getDimSize(1 - (other.getRank() - rank)) == count;
  if (count != 1 && !isChannels)
    return std::nullopt;
  FailureOr<numeric::HostTensor> tensor =
      toHostTensor(constant.getValue(), constant.getLoc());
  if (failed(tensor))
    return std::nullopt;
  std::vector<double> values = numeric::loadDoubles(*tensor);
  return std::vector<float>(values.begin(), values.end());
}

static std::optional<float> numberOf(Value value) {
  if (cast<RankedTensorType>(value.getType()).getNumElements() != 1)
    return std::nullopt;
  std::optional<std::vector<float>> numbers = numbersOf(value, value);
  return numbers ? std::optional<float>(numbers->front()) : std::nullopt;
}

namespace {
/// Follows a chain from its end to its begin.
class Chain {
public:
  explicit Chain(Quantization &found) : found(found) {}

  /// The op that gives `value` as one of `kind`, noted as a step; null if it is
  /// another or has another shape than its left side.
  BinaryOp take(Value value, BinaryKind kind) {
    auto op = value.getDefiningOp<BinaryOp>();
    if (!op || op.getKind() != kind || op.getLhs().getType() != op.getType())
      return {};
    note(op);
    return op;
  }

  void note(Operation *op) {
    if (!llvm::is_contained(found.steps, op))
      found.steps.push_back(op);
  }

  /// What relu, clip, max and min with numbers bound, and by which numbers.
  Value unbounded(Value value, double &low, double &high) {
    while (Operation *op = value.getDefiningOp()) {
      auto unary = dyn_cast<UnaryOp>(op);
      auto binary = dyn_cast<BinaryOp>(op);
      if (unary && unary.getKind() == UnaryKind::Relu) {
        low = std::max(low, 0.0);
      } else if (unary && unary.getKind() == UnaryKind::Clip) {
        low = std::max(low, unary.alphaOrDefault());
        high = std::min(high, unary.betaOrDefault());
      } else if (binary && (binary.getKind() == BinaryKind::Max ||
                            binary.getKind() == BinaryKind::Min)) {
        std::optional<float> number = numberOf(binary.getRhs());
        if (!number || binary.getLhs().getType() != binary.getType())
          return value;
        bool isMax = binary.getKind() == BinaryKind::Max;
        (isMax ? low : high) = isMax ? std::max<double>(low, *number)
                                     : std::min<double>(high, *number);
      } else {
        return value;
      }
      note(op);
      value = op->getOperand(0);
    }
    return value;
  }

  /// quotient + (x - quotient * s) / s with quotient = bounded x / s.
  bool takeQuotient(Value value) {
    BinaryOp sum = take(value, BinaryKind::Add);
    if (!sum)
      return false;
    BinaryOp rest = take(sum.getRhs(), BinaryKind::Div);
    BinaryOp difference =
        rest ? take(rest.getLhs(), BinaryKind::Sub) : BinaryOp();
    BinaryOp product =
        difference ? take(difference.getRhs(), BinaryKind::Mul) : BinaryOp();
    if (!product || product.getLhs() != sum.getLhs() ||
        product.getRhs() != rest.getRhs())
      return false;
    double low = -std::numeric_limits<double>::infinity(), high = -low;
    BinaryOp quotient =
        take(unbounded(sum.getLhs(), low, high), BinaryKind::Div);
    constexpr double kBeyondCodes = 1 << 17;
    if (!quotient || quotient.getRhs() != rest.getRhs() ||
        quotient.getLhs() != difference.getLhs() || low > -kBeyondCodes ||
        high < kBeyondCodes)
      return false;
    found.input = quotient.getLhs();
    return takeScale(rest.getRhs());
  }

  bool takeProduct(Value value) {
    BinaryOp product = take(value, BinaryKind::Mul);
    if (!product)
      return false;
    found.input = product.getLhs();
    found.multiplies = true;
    return takeScale(product.getRhs());
  }

private:
  bool takeScale(Value scale) {
    std::optional<std::vector<float>> numbers = numbersOf(scale, found.input);
    bool areScales = numbers && llvm::all_of(*numbers, [](float number) {
                       return number >= std::numeric_limits<float>::min() &&
                              std::isfinite(number);
                     });
    if (areScales)
      found.scale = std::move(*numbers);
    return areScales;
  }

  Quantization &found;
};
} // namespace

std::optional<std::pair<int64_t, int64_t>>
weft::top::codeRangeOf(Type element) {
  auto type = dyn_cast<IntegerType>(element);
  if (!type || type.getWidth() < 2 || type.getWidth() > 16)
    return std::nullopt;
  int64_t codes = int64_t(1) << type.getWidth();
  return type.isUnsigned()
             ? std::pair<int64_t, int64_t>(0, codes - 1)
             : std::pair<int64_t, int64_t>(-codes / 2, codes / 2 - 1);
}

std::optional<Quantization> weft::top::quantizationOf(CastOp cast) {
  auto range = codeRangeOf(elementTypeOf(cast.getOutput()));
  if (!range || !elementTypeOf(cast.getInput()).isF32())
    return std::nullopt;
  Quantization found;
  found.result = cast;
  Chain chain(found);
  chain.note(cast);
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  Value value = chain.unbounded(cast.getInput(), low, high);
  if (low != double(range->first) || high != double(range->second))
    return std::nullopt;
  if (auto sum = value.getDefiningOp<BinaryOp>();
      sum && sum.getKind() == BinaryKind::Add) {
    std::optional<float> zero = numberOf(sum.getRhs());
    if (!zero || *zero != std::trunc(*zero) ||
        !chain.take(value, BinaryKind::Add))
      return std::nullopt;
    found.zeroPoint = int64_t(*zero);
    value = sum.getLhs();
  }
  auto round = value.getDefiningOp<UnaryOp>();
  if (!round || round.getKind() != UnaryKind::Round ||
      found.zeroPoint < range->first || found.zeroPoint > range->second)
    return std::nullopt;
  chain.note(round);
  if (!chain.takeQuotient(round.getInput()) &&
      !chain.takeProduct(round.getInput()))
    return std::nullopt;
  std::reverse(found.steps.begin(), found.steps.end());
  return found;
}

/// The number on the right side of a step of `kind` that gives `value`, which
/// becomes its left side; std::nullopt if it is no such step.
static std::optional<float> takeStep(Value &value, BinaryKind kind) {
  auto op = value.getDefiningOp<BinaryOp>();
  if (!op || op.getKind() != kind || op.getLhs().getType() != op.getType())
    return std::nullopt;
  std::optional<float> number = numberOf(op.getRhs());
  if (number)
    value = op.getLhs();
  return number;
}

std::optional<Dequantization> weft::top::dequantizationOf(Value value) {
  Dequantization found;
  found.scale = takeStep(value, BinaryKind::Mul).value_or(1.0f);
  float zero = takeStep(value, BinaryKind::Sub).value_or(0.0f);
  auto cast = value.getDefiningOp<CastOp>();
  if (!cast || !elementTypeOf(value).isF32())
    return std::nullopt;
  auto range = codeRangeOf(elementTypeOf(cast.getInput()));
  bool isCode = range && zero >= float(range->first) &&
                zero <= float(range->second) && zero == std::trunc(zero);
  if (!isCode || !(found.scale >= std::numeric_limits<float>::min()) ||
      !std::isfinite(found.scale))
    return std::nullopt;
  found.zeroPoint = int64_t(zero);
  found.integers = cast.getInput();
  found.cast = cast;
  return found;
}
