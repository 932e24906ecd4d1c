//===- Unary.cpp - functions of one operand to tpu ------------------------===//

#include "dialects/top/Unary.h"

#include "dialects/tpu/Cast.h"
#include "dialects/tpu/Unary.h"
#include "dialects/tpu/sequence/Functions.h"
#include "passes/quantize/Elements.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// True for the functions that the machine builds from a series, which only f32
/// carries far enough.
static bool needsF32(tpu::UnaryKind kind) {
  switch (kind) {
  case tpu::UnaryKind::Sigmoid:
  case tpu::UnaryKind::Exp:
  case tpu::UnaryKind::Reciprocal:
  case tpu::UnaryKind::Floor: // rounding is a cast fp32 -> fp32
  case tpu::UnaryKind::Ceil:
  case tpu::UnaryKind::IsNaN: // cast to ui8, which takes f32
  case tpu::UnaryKind::IsInf:
    return true;
  default:
    return false;
  }
}

/// True for the functions from the reals to -1 .. 1.
static bool isBounded(tpu::UnaryKind kind) {
  return kind == tpu::UnaryKind::Sigmoid || kind == tpu::UnaryKind::Tanh;
}

/// A number of the type that is nearest to `value`.
static double clamped(double value, IntegerType type) {
  auto [low, high] = tpu::integerBounds(type);
  return std::trunc(std::min(std::max(value, double(low)), double(high)));
}

/// A function of the integers or bools `x`; null if the chip has none of that
/// kind.
static Value integerFunction(top::UnaryOp op, Value x, Elements &e) {
  using tpu::BinaryKind;
  auto type = cast<IntegerType>(tpu::elementOf(x));
  double high = static_cast<double>(tpu::integerBounds(type).second);
  switch (op.getKind()) {
  case top::UnaryKind::Identity:
    return x;
  case top::UnaryKind::Abs:
    return type.isUnsigned() ? x
                             : e.binary(BinaryKind::Max, x,
                                        e.binary(BinaryKind::Sub, 0.0, x));
  case top::UnaryKind::Neg:
    return e.binary(BinaryKind::Sub, 0.0, x);
  case top::UnaryKind::Sign: {
    Value above = e.cast(e.compare(tpu::Relation::Greater, x, 0.0), type);
    if (type.isUnsigned())
      return above;
    Value below = e.cast(e.compare(tpu::Relation::Less, x, 0.0), type);
    return e.binary(BinaryKind::Sub, above, below);
  }
  case top::UnaryKind::Relu:
    return type.isUnsigned() ? x : e.binary(BinaryKind::Max, x, 0.0);
  case top::UnaryKind::Clip:
    x = e.binary(BinaryKind::Max, x, clamped(op.alphaOrDefault(), type));
    return e.binary(BinaryKind::Min, x, clamped(op.betaOrDefault(), type));
  case top::UnaryKind::Not:
    return e.isNot(x);
  case top::UnaryKind::BitwiseNot:
    return e.binary(BinaryKind::Xor, x, type.isUnsigned() ? high : -1.0);
  default:
    return Value();
  }
}

static Answer<> planIntegers(top::UnaryOp op, Lowering &lowering) {
  Answer<Value> input = lowering.inOwnView(
      op.getInput(), storedElement(topElement(op.getInput())), op);
  if (!input)
    return input.no();
  Elements e(lowering, op.getLoc());
  Value result = integerFunction(op, *input, e);
  if (!result)
    return Refusal(op,
                   inWords("element-wise function '",
                           top::stringifyUnaryKind(op.getKind()),
                           "' of integers"),
                   "cast them to floats");
  lowering.define(op.getOutput(), result);
  return Yes();
}

static Answer<> planUnary(top::UnaryOp op, Lowering &lowering) {
  StringRef name = top::stringifyUnaryKind(op.getKind());
  if (mlir::isa<IntegerType>(topElement(op.getInput())))
    return planIntegers(op, lowering);
  std::optional<tpu::UnaryKind> kind = tpu::symbolizeUnaryKind(name);
  if (!kind || !tpu::UnaryOp::computes(*kind))
    return Refusal(op, inWords("element-wise function '", name, "'"),
                   "build it from add, mul, exp, sigmoid and reciprocal");
  OpBuilder &b = lowering.builder;
  Type element = needsF32(*kind) ? lowering.f32()
                                 : lowering.elementwiseType(op.getInput());
  Answer<Value> form = lowering.inOwnView(op.getInput(), element, op);
  if (!form)
    return form.no();
  Value input = *form;
  const top::UnaryKindRow &row = top::unaryKindRow(op.getKind());
  FloatAttr alpha =
      row.alpha ? b.getF64FloatAttr(op.alphaOrDefault()) : FloatAttr();
  FloatAttr beta =
      row.beta ? b.getF64FloatAttr(op.betaOrDefault()) : FloatAttr();
  bool isNarrow =
      lowering.takesNarrowSteps(op) && element.isF16() &&
      tpu::hasNarrowSteps(*kind, alpha ? std::optional(op.alphaOrDefault())
                                       : std::nullopt);
  bool isShort = lowering.takesShortSteps(op) && element.isF32() &&
                 tpu::hasShortSteps(*kind) && endsInProducts(op.getOutput());
  Value output = b.create<tpu::UnaryOp>(op.getLoc(), input.getType(), *kind,
                                        input, alpha, beta, isNarrow, isShort);
  if (element.isF32() && isTruncated(op.getOutput())) {
    Elements e(lowering, op.getLoc());
    if (*kind == tpu::UnaryKind::Reciprocal)
      output = e.ieeeQuotient(output, 1.0, input, output);
    if (*kind == tpu::UnaryKind::Sqrt)
      output = e.ieeeRoot(output, input);
  }
  // Turns go through DRAM: in 16 bits, as all that ops read. Of numbers between
  // -1 and 1 that loses 2^-12 of them or 2^-25, the smaller step.
  Type stored = lowering.elementwiseType(op.getInput());
  if (isBounded(*kind) && stored.isF16() && stored != element &&
      isReturnedTurned(op.getOutput()))
    output = b.create<tpu::CastOp>(
        op.getLoc(),
        lowering.tensor(cast<RankedTensorType>(input.getType()).getShape(),
                        stored),
        output, IntegerAttr(), IntegerAttr(), tpu::RoundingAttr());
  if (cast<RankedTensorType>(op.getOutput().getType())
          .getElementType()
          .isInteger(1)) // is_nan, is_inf: 1.0 or 0.0
    output = b.create<tpu::CastOp>(
        op.getLoc(),
        lowering.tensor(cast<RankedTensorType>(input.getType()).getShape(),
                        storedElement(b.getI1Type())),
        output, IntegerAttr(), IntegerAttr(), tpu::RoundingAttr());
  lowering.define(op.getOutput(), output);
  return Yes();
}

void weft::quantize::registerUnaryLowering(LoweringTable &table) {
  table.add<top::UnaryOp>(planUnary, [](StringRef kind) {
    auto known = tpu::symbolizeUnaryKind(kind);
    return (known && tpu::UnaryOp::computes(*known)) || kind == "not" ||
           kind == "bitwise_not" || kind == "identity";
  });
}
