//===- ValueRanges.cpp - between which numbers values lie -----------------===//

#include "passes/quantize/ValueRanges.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Cast.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Gather.h"
#include "dialects/top/Move.h"
#include "dialects/top/Pool.h"
#include "dialects/top/Reduce.h"
#include "dialects/top/Resize.h"
#include "dialects/top/Select.h"
#include "dialects/top/Softmax.h"
#include "dialects/top/Unary.h"
#include "passes/quantize/Lowering.h"
#include "passes/quantize/NamedSource.h"
#include "runtime/numeric/TensorValues.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

using Known = std::optional<Interval>;

static constexpr double kUnbounded = std::numeric_limits<double>::infinity();

double Interval::magnitude() const {
  return std::max(std::fabs(low), std::fabs(high));
}

Interval Interval::joined(Interval other) const {
  return {std::min(low, other.low), std::max(high, other.high)};
}

Interval Interval::unbounded() { return {-kUnbounded, kUnbounded}; }

Interval Interval::around(std::initializer_list<double> ends) {
  if (llvm::any_of(ends, [](double end) { return std::isnan(end); }))
    return unbounded();
  return {std::min(ends), std::max(ends)};
}

Interval Interval::times(Interval other) const {
  return around(
      {low * other.low, low * other.high, high * other.low, high * other.high});
}

static int64_t countOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

/// Of the finite elements. Of large constants, which are weights, nothing.
static Known ofConstant(top::ConstantOp op) {
  constexpr int64_t kMost = int64_t(1) << 22;
  if (countOf(op) > kMost || countOf(op) == 0)
    return std::nullopt;
  FailureOr<numeric::HostTensor> tensor =
      toHostTensor(op.getValue(), op.getLoc());
  if (failed(tensor))
    return std::nullopt;
  Interval interval{kUnbounded, -kUnbounded};
  for (double value : numeric::loadDoubles(*tensor))
    if (std::isfinite(value))
      interval = interval.joined({value, value});
  return interval.low <= interval.high ? Known(interval) : std::nullopt;
}

/// True of functions that grow with their operand.
static bool isIncreasing(top::UnaryKind kind, double alpha) {
  switch (kind) {
  case top::UnaryKind::Identity:
  case top::UnaryKind::Sign:
  case top::UnaryKind::Exp:
  case top::UnaryKind::Log:
  case top::UnaryKind::Sqrt:
  case top::UnaryKind::Erf:
  case top::UnaryKind::Floor:
  case top::UnaryKind::Ceil:
  case top::UnaryKind::Round:
  case top::UnaryKind::Atan:
  case top::UnaryKind::Tanh:
  case top::UnaryKind::Sinh:
  case top::UnaryKind::Asinh:
  case top::UnaryKind::Relu:
  case top::UnaryKind::Selu:
  case top::UnaryKind::Sigmoid:
  case top::UnaryKind::Softplus:
  case top::UnaryKind::Softsign:
  case top::UnaryKind::Clip:
    return true;
  case top::UnaryKind::LeakyRelu:
  case top::UnaryKind::Elu:
  case top::UnaryKind::Celu:
  case top::UnaryKind::HardSigmoid:
    return alpha >= 0;
  default:
    return false;
  }
}

static Known ofUnary(top::UnaryOp op, Known operand) {
  top::UnaryKind kind = op.getKind();
  if (kind == top::UnaryKind::Sin || kind == top::UnaryKind::Cos)
    return Interval{-1, 1};
  double alpha = op.alphaOrDefault(), beta = op.betaOrDefault();
  auto value = [&](double x) {
    return host::unaryFunction(kind)(x, alpha, beta);
  };
  // Bounded functions are so of anything.
  Interval x = operand.value_or(Interval{-kUnbounded, kUnbounded});
  if (kind == top::UnaryKind::Log || kind == top::UnaryKind::Sqrt)
    x.low = std::max(x.low, 0.0);
  Known result;
  if (isIncreasing(kind, alpha))
    result = Interval::around({value(x.low), value(std::max(x.low, x.high))});
  switch (kind) {
  case top::UnaryKind::Abs:
    result = Interval::around({0, x.low, x.high, -x.low, -x.high});
    result->low = std::max({0.0, x.low, -x.high});
    break;
  case top::UnaryKind::Neg:
    result = Interval{-x.high, -x.low};
    break;
  case top::UnaryKind::Reciprocal:
  case top::UnaryKind::Rsqrt:
    if (x.low > 0)
      result = Interval{value(x.high), value(x.low)};
    break;
  case top::UnaryKind::HardSwish:
  case top::UnaryKind::Swish:
  case top::UnaryKind::Mish:
  case top::UnaryKind::Gelu:
  case top::UnaryKind::GeluTanh:
    // They are at most their operand, and dip below zero by less than 1.
    if (kind != top::UnaryKind::Swish || alpha == 1)
      result = Interval{x.low >= 0 ? 0.0 : -1.0, std::max(0.0, x.high)};
    break;
  default:
    break;
  }
  if (!operand && result && !std::isfinite(result->magnitude()))
    return std::nullopt; // no more is known than before
  return result;
}

/// Whether `reduce` adds up the squares of `source` along some axes, so that
/// its result stands beside the elements that it was made of.
static bool isSumOfSquares(top::ReduceOp reduce, Value source) {
  auto square = reduce.getInput().getDefiningOp<top::BinaryOp>();
  if (!square || square.getLhs() != source ||
      reduce.getKind() != top::ReduceKind::Sum || !reduce.getKeepdims())
    return false;
  if (square.getKind() == top::BinaryKind::Mul)
    return square.getRhs() == source;
  auto exponent = square.getRhs().getDefiningOp<top::ConstantOp>();
  Known two = exponent ? ofConstant(exponent) : std::nullopt;
  return square.getKind() == top::BinaryKind::Pow && two && two->low == 2 &&
         two->high == 2;
}

/// The number that is added to, multiplied with or compared with the left
/// operand of `op`; std::nullopt unless it is a constant above 0.
static std::optional<double> positiveNumber(top::BinaryOp op) {
  auto constant = op.getRhs().getDefiningOp<top::ConstantOp>();
  Known number = constant ? ofConstant(constant) : std::nullopt;
  return number && number->low == number->high && number->low > 0
             ? std::optional<double>(number->low)
             : std::nullopt;
}

/// The factor f if `value` is r = sqrt(f * sum(source^2) + ..) + .., or 1 / r
/// with `isInverse`, where what is added is not negative; 0 if it is not.
static double factorOfNorm(Value value, Value source, bool isInverse) {
  constexpr int kMostSteps = 10;
  double factor = 1;
  bool isUnderRoot = false;
  for (int step = 0; step < kMostSteps; ++step) {
    Operation *op = value.getDefiningOp();
    if (auto reduce = dyn_cast_or_null<top::ReduceOp>(op))
      return isUnderRoot && isSumOfSquares(reduce, source) ? factor : 0;
    if (auto binary = dyn_cast_or_null<top::BinaryOp>(op)) {
      std::optional<double> number = positiveNumber(binary);
      bool adds = binary.getKind() == top::BinaryKind::Add ||
                  binary.getKind() == top::BinaryKind::Max;
      bool scales = binary.getKind() == top::BinaryKind::Mul ||
                    binary.getKind() == top::BinaryKind::Div;
      if (!number || isInverse || !(adds || (scales && isUnderRoot)))
        return 0;
      if (scales)
        factor *=
            binary.getKind() == top::BinaryKind::Mul ? *number : 1 / *number;
      value = binary.getLhs();
      continue;
    }
    auto unary = dyn_cast_or_null<top::UnaryOp>(op);
    if (!unary || isUnderRoot)
      return 0;
    switch (unary.getKind()) {
    case top::UnaryKind::Reciprocal:
      isInverse = !isInverse;
      break;
    case top::UnaryKind::Sqrt:
    case top::UnaryKind::Rsqrt:
      if (isInverse != (unary.getKind() == top::UnaryKind::Rsqrt))
        return 0;
      isInverse = false;
      isUnderRoot = true;
      break;
    default:
      return 0;
    }
    value = unary.getInput();
  }
  return 0;
}

/// x / sqrt(factor * sum(x^2) + ..), which is at most 1 / sqrt(factor).
static Known ofNormalized(top::BinaryOp op) {
  double factor = 0;
  if (op.getKind() == top::BinaryKind::Div)
    factor = factorOfNorm(op.getRhs(), op.getLhs(), /*isInverse=*/false);
  if (op.getKind() == top::BinaryKind::Mul)
    for (unsigned side : {0, 1})
      factor = std::max(factor, factorOfNorm(op->getOperand(1 - side),
                                             op->getOperand(side),
                                             /*isInverse=*/true));
  if (factor == 0)
    return std::nullopt;
  return Interval{-1 / std::sqrt(factor), 1 / std::sqrt(factor)};
}

static Known ofPower(Interval x, Interval y) {
  if (x.low >= 0)
    return Interval::around({std::pow(x.low, y.low), std::pow(x.low, y.high),
                             std::pow(x.high, y.low),
                             std::pow(x.high, y.high)});
  if (y.low != y.high || y.low != std::floor(y.low) || y.low < 0)
    return std::nullopt;
  Interval ends =
      Interval::around({std::pow(x.low, y.low), std::pow(x.high, y.low)});
  return x.high > 0 ? ends.joined({0, 0}) : ends;
}

static Known ofBinary(top::BinaryOp op, Known lhs, Known rhs) {
  if (Known normalized = ofNormalized(op))
    return normalized;
  // The larger and the smaller of two have one end of either.
  bool chooses = op.getKind() == top::BinaryKind::Max ||
                 op.getKind() == top::BinaryKind::Min;
  if (chooses ? !lhs && !rhs : !lhs || !rhs)
    return std::nullopt;
  Interval x = lhs.value_or(Interval::unbounded()),
           y = rhs.value_or(Interval::unbounded());
  switch (op.getKind()) {
  case top::BinaryKind::Add:
    return Interval::around({x.low + y.low, x.high + y.high});
  case top::BinaryKind::Sub:
    return Interval::around({x.low - y.high, x.high - y.low});
  case top::BinaryKind::Mul: {
    Interval product = x.times(y);
    if (op.getLhs() == op.getRhs())
      product.low = std::max(0.0, std::min(x.low * x.low, x.high * x.high));
    if (op.getLhs() == op.getRhs() && x.low < 0 && x.high > 0)
      product.low = 0;
    return product;
  }
  case top::BinaryKind::Div:
    if (y.low <= 0 && y.high >= 0)
      return std::nullopt;
    return Interval::around(
        {x.low / y.low, x.low / y.high, x.high / y.low, x.high / y.high});
  case top::BinaryKind::Max:
    return Interval{std::max(x.low, y.low), std::max(x.high, y.high)};
  case top::BinaryKind::Min:
    return Interval{std::min(x.low, y.low), std::min(x.high, y.high)};
  case top::BinaryKind::Pow:
    return ofPower(x, y);
  case top::BinaryKind::Mod:
  case top::BinaryKind::Fmod:
    return Interval{-y.magnitude(), y.magnitude()};
  case top::BinaryKind::PRelu:
    return x.joined(x.times(y));
  default:
    return std::nullopt;
  }
}

static Known ofReduce(top::ReduceOp op, Known operand) {
  if (!operand || op.getKind() == top::ReduceKind::Prod)
    return std::nullopt;
  if (op.getKind() != top::ReduceKind::Sum)
    return operand;
  double count = double(countOf(op.getInput())) /
                 double(std::max<int64_t>(1, countOf(op.getOutput())));
  return Interval{count * operand->low, count * operand->high};
}

static Known ofCast(top::CastOp op, Known operand) {
  if (topElement(op.getInput()).isInteger(1))
    return Interval{0, 1};
  return operand;
}

Known ValueRanges::derived(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  auto joined = [&](ValueRange operands, Known all) {
    for (Value operand : operands) {
      Known one = of(operand);
      if (!one)
        return Known();
      all = all ? all->joined(*one) : *one;
    }
    return all;
  };
  const Known zero = Interval{0, 0};
  return llvm::TypeSwitch<Operation *, Known>(op)
      .Case(ofConstant)
      .Case([&](top::UnaryOp op) { return ofUnary(op, of(op.getInput())); })
      .Case([&](top::BinaryOp op) {
        return ofBinary(op, of(op.getLhs()), of(op.getRhs()));
      })
      .Case([&](top::ReduceOp op) { return ofReduce(op, of(op.getInput())); })
      .Case([&](top::CastOp op) { return ofCast(op, of(op.getInput())); })
      .Case([&](top::SoftmaxOp) { return Interval{0, 1}; })
      .Case([&](top::SelectOp op) {
        return joined({op.getOnTrue(), op.getOnFalse()}, {});
      })
      .Case<top::ReshapeOp, top::TransposeOp, top::SliceOp, top::ExpandOp>(
          [&](Operation *op) { return of(op->getOperand(0)); })
      .Case([&](top::GatherOp op) { return joined({op.getTable()}, zero); })
      .Case([&](top::PoolOp op) { return joined({op.getInput()}, zero); })
      .Case([&](top::ConcatOp op) { return joined(op.getInputs(), {}); })
      .Case<top::PadOp, top::InterleaveOp>(
          [&](Operation *op) { return joined(op->getOperands(), zero); })
      .Default([](Operation *) { return Known(); });
}

const CalibrationEntry *ValueRanges::calibrated(Value value) const {
  return table ? table->find(valueName(namedSource(value))) : nullptr;
}

Known ValueRanges::of(Value value) {
  // Asked in the order of the graph, so recursion is not deep.
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Known interval = derived(value);
  if (const CalibrationEntry *entry = calibrated(value)) {
    Interval seen{kRoom * std::min(entry->min, 0.0),
                  kRoom * std::max(entry->max, 0.0)};
    interval = interval ? Interval{std::max(seen.low, interval->low),
                                   std::min(seen.high, interval->high)}
                        : seen;
    if (interval->low > interval->high) // not the model of this table
      interval = seen;
  }
  return known[value] = interval;
}
