//===- IntegerRanges.cpp - which integers need more than 32 bits ----------===//

#include "passes/quantize/IntegerRanges.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Cast.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Gather.h"
#include "dialects/top/Host.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Move.h"
#include "dialects/top/Reduce.h"
#include "dialects/top/Select.h"
#include "dialects/top/Unary.h"
#include "passes/quantize/HostPlacement.h"
#include "passes/quantize/Lowering.h"
#include "runtime/numeric/TensorValues.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// The bits that the machine, or ONNX, has for an integer.
static Interval rangeOf(unsigned width, bool isUnsigned) {
  if (width == 1)
    return {0, 1};
  // Of 64 bits the last is no double; the one before counts as the end.
  double end = std::ldexp(1.0, int(isUnsigned ? width : width - 1));
  return {isUnsigned ? 0 : -end, std::min(end - 1, std::nextafter(end, 0))};
}

static IntegerType integerOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? dyn_cast<IntegerType>(type.getElementType()) : IntegerType();
}

/// Whether ONNX has more bits for the elements than the machine.
static bool isWide(Value value) {
  constexpr unsigned kMachineBits = 32;
  IntegerType type = integerOf(value);
  return type && type.getWidth() > kMachineBits;
}

static Interval onMachine(IntegerType type) {
  return rangeOf(std::min(type.getWidth(), 32u), type.isUnsigned());
}

static bool isWithin(Interval inner, Interval outer) {
  return inner.low >= outer.low && inner.high <= outer.high;
}

/// Ends that doubles do not hold exactly may have been rounded to the inside.
static Interval outward(Interval x) {
  constexpr double kExact = 0x1p53;
  const double kAll = Interval::unbounded().high;
  if (std::fabs(x.low) > kExact)
    x.low = std::nextafter(x.low, -kAll);
  if (std::fabs(x.high) > kExact)
    x.high = std::nextafter(x.high, kAll);
  return x;
}

static int64_t numbersIn(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.hasStaticShape() ? type.getNumElements() : 0;
}

static std::optional<Interval> ofConstant(top::ConstantOp op) {
  FailureOr<numeric::HostTensor> tensor =
      toHostTensor(op.getValue(), op.getLoc());
  if (failed(tensor) || numbersIn(op) == 0)
    return std::nullopt;
  std::optional<Interval> interval;
  for (int64_t value : numeric::loadIntegers(*tensor))
    interval = interval.value_or(Interval{double(value), double(value)})
                   .joined({double(value), double(value)});
  return interval;
}

static std::optional<Interval> ofBinary(top::BinaryKind kind, Interval x,
                                        Interval y) {
  switch (kind) {
  case top::BinaryKind::Add:
    return Interval{x.low + y.low, x.high + y.high};
  case top::BinaryKind::Sub:
    return Interval{x.low - y.high, x.high - y.low};
  case top::BinaryKind::Mul:
    return x.times(y);
  case top::BinaryKind::Max:
    return Interval{std::max(x.low, y.low), std::max(x.high, y.high)};
  case top::BinaryKind::Min:
    return Interval{std::min(x.low, y.low), std::min(x.high, y.high)};
  case top::BinaryKind::Div: // towards 0; by 0 it is 0
    if (y.low >= 0)
      return Interval{std::min(x.low, 0.0), std::max(x.high, 0.0)};
    return Interval{-x.magnitude(), x.magnitude()};
  case top::BinaryKind::ShiftRight: // -1 or 0 in the end
    return Interval{std::min(x.low, x.low < 0 ? -1.0 : 0.0),
                    std::max(x.high, 0.0)};
  case top::BinaryKind::ShiftLeft:
    if (y.low < 0 || y.high > 63)
      return std::nullopt;
    return x.times({1, std::ldexp(1.0, int(y.high))});
  case top::BinaryKind::BitwiseAnd:
    if (x.low >= 0 || y.low >= 0)
      return Interval{0, std::min(x.low >= 0 ? x.high : y.high,
                                  y.low >= 0 ? y.high : x.high)};
    return std::nullopt;
  case top::BinaryKind::PRelu:
    return x.joined(x.times(y));
  case top::BinaryKind::Mod:
  case top::BinaryKind::Fmod: { // less than the divisor
    double most = std::max(y.magnitude() - 1, 0.0);
    return Interval{y.low < 0 || x.low < 0 ? -most : 0, most}.joined({0, 0});
  }
  case top::BinaryKind::Pow: {
    if (y.low < 0 || !std::isfinite(y.high))
      return std::nullopt;
    double most = std::pow(std::max(x.magnitude(), 1.0), y.high);
    return Interval{x.low < 0 ? -most : 0, most};
  }
  default:
    return std::nullopt;
  }
}

static bool isBitwise(top::BinaryKind kind) {
  return kind == top::BinaryKind::BitwiseAnd ||
         kind == top::BinaryKind::BitwiseOr ||
         kind == top::BinaryKind::BitwiseXor;
}

static std::optional<Interval> ofUnary(top::UnaryOp op, Interval x) {
  switch (op.getKind()) {
  case top::UnaryKind::Clip: {
    double low = op.alphaOrDefault(), high = op.betaOrDefault();
    return Interval{std::min(std::max(x.low, low), high),
                    std::min(std::max(x.high, low), high)};
  }
  case top::UnaryKind::Identity:
    return x;
  case top::UnaryKind::Neg:
    return Interval{-x.high, -x.low};
  case top::UnaryKind::Abs:
    return Interval{0, x.magnitude()};
  case top::UnaryKind::Sign:
    return Interval{-1, 1};
  case top::UnaryKind::Relu:
    return Interval{std::max(x.low, 0.0), std::max(x.high, 0.0)};
  default:
    return std::nullopt;
  }
}

/// A sum or product of `count` numbers; of none it is 0 or 1.
static Interval ofMany(top::ReduceKind kind, Interval x, double count) {
  switch (kind) {
  case top::ReduceKind::Sum:
    return Interval{x.low * count, x.high * count}.joined({0, 0}).joined(x);
  case top::ReduceKind::Prod: {
    double most = std::pow(std::max(x.magnitude(), 1.0), count);
    return Interval{x.low < 0 ? -most : 0, most};
  }
  default:
    return x;
  }
}

/// A product may be anything.
static std::optional<Interval> ofScatter(top::ScatterOp op, Interval base,
                                         Interval updates) {
  double count = double(numbersIn(op.getUpdates()));
  if (op.getReduction() == "mul")
    return std::nullopt;
  if (op.getReduction() == "add")
    return Interval{base.low + std::min(0.0, updates.low) * count,
                    base.high + std::max(0.0, updates.high) * count};
  return base.joined(updates);
}

/// Whether `op` makes integers of 64 bits of floats, in which the machine would
/// end at the ends of 32.
static bool isWideOfFloat(Operation *op) {
  auto cast = dyn_cast<top::CastOp>(op);
  return cast && isWide(cast.getOutput()) && !integerOf(cast.getInput());
}

void IntegerRanges::note(Value value) {
  IntegerType type = integerOf(value);
  if (!type)
    return;
  Interval usual = onMachine(type);
  if (isWide(value))
    reals.note(value, known[value] = derived(value));
  else if (auto range = reals.of(value); !range || !isWithin(*range, usual))
    reals.note(value, usual);
}

IntegerRanges::IntegerRanges(Block &block) {
  // Floats are looked at where it matters: that reads all small constants.
  bool readsFloats =
      llvm::any_of(block, [](Operation &op) { return isWideOfFloat(&op); });
  auto noteResult = [&](Value value) {
    if (isWide(value) || (readsFloats && integerOf(value)))
      note(value);
    else if (readsFloats)
      reals.of(value); // in order, so that it is not asked deep
  };
  llvm::for_each(block.getArguments(), noteResult);
  for (Operation &op : block)
    llvm::for_each(op.getResults(), noteResult);
  for (Operation &op : llvm::reverse(block))
    for (Value result : op.getResults()) {
      if (!isWide(result) || result.use_empty())
        continue;
      if (llvm::all_of(result.getUses(),
                       [&](OpOperand &use) { return isPosition(use); }))
        positions.insert(result);
      if (llvm::all_of(result.getUses(),
                       [&](OpOperand &use) { return isLow(use); }))
        low.insert(result);
    }
}

/// Whether the lower bits of the results of `op` are made of no more than the
/// lower bits of its operands; of selections and gathers those they choose.
static bool keepsLowBits(Operation *op) {
  if (auto binary = dyn_cast<top::BinaryOp>(op))
    return binary.getKind() == top::BinaryKind::Add ||
           binary.getKind() == top::BinaryKind::Sub ||
           binary.getKind() == top::BinaryKind::Mul ||
           isBitwise(binary.getKind());
  if (auto unary = dyn_cast<top::UnaryOp>(op))
    return unary.getKind() == top::UnaryKind::Neg ||
           unary.getKind() == top::UnaryKind::Identity;
  if (auto reduce = dyn_cast<top::ReduceOp>(op))
    return reduce.getKind() == top::ReduceKind::Sum ||
           reduce.getKind() == top::ReduceKind::Prod;
  return isa<top::CumulativeOp, top::MatMulOp, top::ReshapeOp, top::TransposeOp,
             top::SliceOp, top::ExpandOp, top::ConcatOp, top::SelectOp,
             top::GatherOp>(op);
}

static bool isNumber(Value value, double number) {
  auto constant = value.getDefiningOp<top::ConstantOp>();
  std::optional<Interval> interval =
      constant ? ofConstant(constant) : std::nullopt;
  return interval && interval->low == number && interval->high == number;
}

/// The only reader of `value` if it is a function `kind` of it and a constant.
static top::BinaryOp onlyReader(Value value, top::BinaryKind kind) {
  auto reader = value.hasOneUse() ? dyn_cast<top::BinaryOp>(*value.user_begin())
                                  : top::BinaryOp();
  bool isOfConstant = reader && reader.getLhs() == value &&
                      reader.getRhs().getDefiningOp<top::ConstantOp>();
  return isOfConstant && reader.getKind() == kind ? reader : top::BinaryOp();
}

/// Of i in i - n * min(max(i, -1), 0), how the importer writes the position i
/// from the end of n ones (NodeImporter's wrapped indices), what is computed of
/// `largest`, max(i, -1); null if it is something else. A position that does
/// not fit 32 bits is none.
static Value wrappedPosition(top::BinaryOp largest) {
  if (largest.getKind() != top::BinaryKind::Max ||
      !isNumber(largest.getRhs(), -1))
    return {};
  top::BinaryOp sign = onlyReader(largest.getOutput(), top::BinaryKind::Min);
  top::BinaryOp offset =
      sign ? onlyReader(sign.getOutput(), top::BinaryKind::Mul) : sign;
  if (!offset || !isNumber(sign.getRhs(), 0) || !offset.getOutput().hasOneUse())
    return {};
  auto position = dyn_cast<top::BinaryOp>(*offset.getOutput().user_begin());
  bool isPosition = position && position.getKind() == top::BinaryKind::Sub &&
                    position.getLhs() == largest.getLhs() &&
                    position.getRhs() == offset.getOutput();
  return isPosition ? position.getOutput() : Value();
}

bool IntegerRanges::isPosition(OpOperand &use) const {
  Operation *user = use.getOwner();
  // Where others than positions mean something (OneHot), the importer clamps.
  if (isa<top::GatherOp, top::ScatterOp>(user) && use.getOperandNumber() == 1)
    return true;
  if (auto binary = dyn_cast<top::BinaryOp>(user);
      binary && use.getOperandNumber() == 0) {
    auto largest = binary.getKind() == top::BinaryKind::Min
                       ? use.get().getDefiningOp<top::BinaryOp>()
                       : binary;
    Value position = largest ? wrappedPosition(largest) : Value();
    if (position && positions.contains(position))
      return true;
  }
  return keepsLowBits(user) && llvm::all_of(user->getResults(), [&](Value v) {
           return positions.contains(v);
         });
}

bool IntegerRanges::isLow(OpOperand &use) const {
  Operation *user = use.getOwner();
  if (isPosition(use))
    return true;
  if (auto cast = dyn_cast<top::CastOp>(user)) {
    IntegerType type = integerOf(cast.getOutput());
    return type && type.getWidth() > 1 && !isWide(cast.getOutput());
  }
  return keepsLowBits(user) && llvm::all_of(user->getResults(), [&](Value v) {
           return low.contains(v) || fits(v);
         });
}

Interval IntegerRanges::of(Value value) const {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  IntegerType type = integerOf(value);
  return type ? onMachine(type) : Interval::unbounded();
}

bool IntegerRanges::fits(Value value) const {
  return !isWide(value) || isWithin(of(value), onMachine(integerOf(value)));
}

std::optional<Interval> IntegerRanges::truncated(Value value) {
  // Each step on the way rounds to 24 bits or a little less.
  constexpr double kRounding = 0x1p-20;
  std::optional<Interval> range = reals.of(value);
  if (!range)
    return std::nullopt;
  return Interval{std::trunc(range->low - std::fabs(range->low) * kRounding),
                  std::trunc(range->high + std::fabs(range->high) * kRounding)};
}

/// Of a value of 64 bits. What is not named below passes its operands' values
/// on, or gives counts or positions, which fit.
Interval IntegerRanges::derived(Value value) {
  Operation *op = value.getDefiningOp();
  IntegerType type = integerOf(value);
  Interval usual = onMachine(type),
           all = rangeOf(type.getWidth(), type.isUnsigned());
  if (!op)
    return usual;
  if (auto tensor = cast<RankedTensorType>(value.getType());
      tensor.hasStaticShape() && tensor.getNumElements() == 0)
    return {0, 0};
  auto joined = [&](ValueRange operands) {
    std::optional<Interval> result;
    for (Value operand : operands)
      result = result ? result->joined(of(operand)) : of(operand);
    return result;
  };
  auto result =
      llvm::TypeSwitch<Operation *, std::optional<Interval>>(op)
          .Case(ofConstant)
          .Case([&](top::BinaryOp op) {
            Interval x = of(op.getLhs()), y = of(op.getRhs());
            if (auto range = ofBinary(op.getKind(), x, y))
              return range;
            // Numbers of 32 bits have the same bit in all others.
            bool keepsRange = isBitwise(op.getKind()) && isWithin(x, usual) &&
                              isWithin(y, usual);
            return keepsRange ? std::optional(usual) : std::nullopt;
          })
          .Case([&](top::UnaryOp op) { return ofUnary(op, of(op.getInput())); })
          .Case([&](top::ReduceOp op) {
            double count = double(numbersIn(op.getInput())) /
                           double(std::max<int64_t>(1, numbersIn(value)));
            return ofMany(op.getKind(), of(op.getInput()), count);
          })
          .Case([&](top::CumulativeOp op) {
            auto input = cast<RankedTensorType>(op.getInput().getType());
            return ofMany(op.getKind(), of(op.getInput()),
                          double(input.getDimSize(op.getAxis())));
          })
          .Case([&](top::MatMulOp op) {
            auto lhs = cast<RankedTensorType>(op->getOperand(0).getType());
            Interval one = of(op->getOperand(0)).times(of(op->getOperand(1)));
            double count = double(lhs.getDimSize(lhs.getRank() - 1));
            return Interval{one.low * count, one.high * count}.joined({0, 0});
          })
          .Case([&](top::ArgReduceOp op) {
            auto input = cast<RankedTensorType>(op.getInput().getType());
            return Interval{0, double(input.getDimSize(op.getAxis()) - 1)};
          })
          .Case([&](top::CastOp op) {
            return integerOf(op.getInput()) ? std::optional(of(op.getInput()))
                                            : truncated(op.getInput());
          })
          .Case([&](top::BitCastOp) { return all; })
          .Case([&](top::ScatterOp op) {
            return ofScatter(op, of(op.getBase()), of(op.getUpdates()));
          })
          .Case([&](top::SelectOp op) {
            return joined({op.getOnTrue(), op.getOnFalse()});
          })
          .Case<top::ReshapeOp, top::TransposeOp, top::SliceOp, top::ExpandOp>(
              [&](Operation *op) { return of(op->getOperand(0)); })
          .Case([&](top::ConcatOp op) { return joined(op->getOperands()); })
          .Case([&](top::GatherOp op) {
            return of(op.getTable()).joined({0, 0});
          })
          .Default([&](Operation *op) {
            bool isLarge = llvm::any_of(op->getOperands(), [&](Value operand) {
              return !fits(operand);
            });
            // Anything may have been added up in a graph.
            return isLarge || runsGraphs(op) ? all : usual;
          });
  // What leaves ONNX's own bits wraps, and may be anything.
  return result && isWithin(*result, all) ? outward(*result) : all;
}

std::optional<Refusal> IntegerRanges::refusal(Operation *op) const {
  constexpr const char *kWayOut =
      "cast to int32 in the model if 32 bits are enough";
  // A constant is made anew for each reader; bits of 64 and graphs are
  // refused anyway.
  if (isa<top::ConstantOp, top::BitCastOp>(op) || runsGraphs(op))
    return std::nullopt;
  // Floats end at the ends of 32 bits, which does not keep the lower bits; what
  // is no position in 64 bits is none then.
  const auto &suffices = isWideOfFloat(op) ? positions : low;
  for (Value result : op->getResults())
    if (!fits(result) && !suffices.contains(result))
      return Refusal(op,
                     "the result may need more than the 32 bits that the "
                     "machine has for ONNX's 64",
                     kWayOut);
  for (OpOperand &operand : op->getOpOperands())
    if (Value value = operand.get();
        !fits(value) && (!isLow(operand) || onHost.contains(value) ||
                         value.getDefiningOp<top::ConstantOp>()))
      return Refusal(op,
                     "an operand may need more than the 32 bits that the "
                     "machine has for ONNX's 64",
                     kWayOut);
  return std::nullopt;
}
