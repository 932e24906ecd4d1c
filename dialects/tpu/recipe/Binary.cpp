//===- Binary.cpp - recipes of the Binary family --------------------------===//

#include "dialects/tpu/Binary.h"

#include "dialects/tpu/recipe/Sequence.h"
#include "dialects/tpu/sequence/Functions.h"

using namespace weft;
using namespace weft::tpu;
using catalog::DataType;
using llvm::ArrayRef;
using llvm::StringRef;

static StringRef floatFunction(BinaryKind kind) {
  switch (kind) {
  case BinaryKind::Add:
    return "tiu.fadd";
  case BinaryKind::Sub:
    return "tiu.fsub";
  case BinaryKind::Mul:
    return "tiu.fmul";
  case BinaryKind::Div:
    return "tiu.fdiv";
  case BinaryKind::Max:
    return "tiu.fmax";
  case BinaryKind::Min:
    return "tiu.fmin";
  default:
    llvm_unreachable("the verifier leaves these to integers");
  }
}

static StringRef integerFunction(BinaryKind kind) {
  switch (kind) {
  case BinaryKind::Add:
    return "tiu.add";
  case BinaryKind::Sub:
    return "tiu.sub";
  case BinaryKind::Mul:
    return "tiu.mul";
  case BinaryKind::Max:
    return "tiu.max";
  case BinaryKind::Min:
    return "tiu.min";
  case BinaryKind::And:
    return "tiu.bitwise_and";
  case BinaryKind::Or:
    return "tiu.bitwise_or";
  case BinaryKind::Xor:
    return "tiu.bitwise_xor";
  default:
    llvm_unreachable("the verifier leaves these to floats, shifts come apart");
  }
}

/// result = lhs shifted by rhs. The machine shifts to the left by a positive
/// amount and to the right by a negative one.
static void buildShift(BinaryOp op, RecipeBuilder &r) {
  bool isRight = op.getKind() == BinaryKind::ShiftRight;
  Tile result = r.result(), source = r.operand(0);
  RecipeArgument amount = 0;
  if (op.getConstant()) {
    auto constant =
        static_cast<int64_t>(op.getConstantAttr().getValueAsDouble());
    amount = isRight ? -constant : constant;
  } else {
    // Of the amount the machine reads the low byte, as a signed number.
    Tile tile = r.operand(1);
    amount =
        r.as(tile, integerOf(catalog::bitsOf(tile.type), /*isSigned=*/true));
  }
  if (op.getRhs() && isRight) {
    Tile negative = r.scratch("negative", r.operand(1).shape, DataType::Int8);
    r.binary("tiu.sub", negative, 0, amount);
    amount = negative;
  }
  bool isUnsigned = elementOf(op.getLhs()).isUnsignedInteger();
  r.call(isUnsigned ? "tiu.logical_shift" : "tiu.shift",
         {{"dst", result},
          {"src", source},
          {"shift", amount},
          {"round_mode", int64_t(numeric::Rounding::Floor)}});
  return;
}

/// result = lhs <kind> rhs on integers, exact and wrapped.
static void buildInteger(BinaryOp op, RecipeBuilder &r) {
  if (op.getKind() == BinaryKind::ShiftLeft ||
      op.getKind() == BinaryKind::ShiftRight)
    return buildShift(op, r);
  RecipeArgument lhs = r.operand(0),
                 rhs = op.getConstant()
                           ? RecipeArgument(static_cast<int64_t>(
                                 op.getConstantAttr().getValueAsDouble()))
                           : RecipeArgument(r.operand(1));
  if (op.getReversed())
    std::swap(lhs, rhs);
  Tile result = r.result();
  // A difference counts as signed; its low bits are the same.
  if (op.getKind() == BinaryKind::Sub)
    result = r.as(result,
                  integerOf(catalog::bitsOf(result.type), /*isSigned=*/true));
  r.binary(integerFunction(op.getKind()), result, lhs, rhs);
  return;
}

static void buildFloat(BinaryOp op, RecipeBuilder &r) {
  Tile result = r.result();
  RecipeArgument lhs = r.operand(0);
  RecipeArgument rhs = op.getRhs()
                           ? RecipeArgument(r.operand(1))
                           : asFloat(op.getConstantAttr().getValueAsDouble());
  if (op.getReversed())
    std::swap(lhs, rhs);
  bool isDivision = op.getKind() == BinaryKind::Div;
  r.binary(floatFunction(op.getKind()), result, lhs, rhs,
           isDivision ? llvm::ArrayRef<Given>(kDivisionSteps)
                      : llvm::ArrayRef<Given>());
  if (op.getRelu())
    r.binary("tiu.fmax", result, result, 0.0);
  return;
}

/// dst = src * multiplier >> rshift, half up.
static void requantize(RecipeBuilder &r, Tile dst, Tile src, int32_t multiplier,
                       int32_t rshift) {
  r.call("tiu.rq1", {{"dst", dst},
                     {"src", src},
                     {"multiplier", int64_t(multiplier)},
                     {"shift", -int64_t(rshift)},
                     {"offset", 0},
                     {"round_mode", int64_t(numeric::Rounding::HalfUp)}});
}

static void buildInt8(BinaryOp op, RecipeBuilder &r) {
  Tile result = r.result(), lhs = r.operand(0), rhs = r.operand(1);
  if (!op.getMultipliers()) {
    r.binary(integerFunction(op.getKind()), result, lhs, rhs);
    return;
  }
  ArrayRef<int32_t> multipliers = *op.getMultipliers(),
                    rshifts = *op.getRshifts();
  if (op.getKind() == BinaryKind::Mul) {
    bool anySigned =
        elementIsSigned(op.getLhs()) || elementIsSigned(op.getRhs());
    Tile product = r.scratch("product", result.shape,
                             anySigned ? DataType::Int32 : DataType::Uint32);
    r.binary("tiu.mul", product, lhs, rhs);
    // A product of two bytes fits 31 bits, so it may be read as signed.
    requantize(r, result, r.as(product, DataType::Int32), multipliers[0],
               rshifts[0]);
    return;
  }
  DataType si16 = DataType::Int16;
  Tile left = r.scratch("left", lhs.shape, si16),
       right = r.scratch("right", rhs.shape, si16);
  for (auto [wide, operand, i] :
       {std::tuple(left, lhs, 0), std::tuple(right, rhs, 1)}) {
    r.cast(wide, operand);
    requantize(r, wide, wide, multipliers[i], rshifts[i]);
  }
  StringRef function = integerFunction(op.getKind());
  const Given saturated{"saturation", true};
  if (elementIsSigned(op.getOutput())) {
    r.binary(function, result, left, right, saturated);
    return;
  }
  // Signed operands give a signed sum; the cast then clips it at 0, which is
  // the relu as well.
  Tile sum = r.scratch("sum", result.shape, si16);
  r.binary(function, sum, left, right, saturated);
  r.cast(result, sum);
  return;
}

void BinaryOp::buildRecipe(RecipeBuilder &r) {
  if (std::optional<Sequence> sequence = sequenceOf(*this))
    return buildSequence(r, *sequence);
  if (isInteger())
    return buildInteger(*this, r);
  if (isQuantized(getLhs()))
    return buildInt8(*this, r);
  buildFloat(*this, r);
}
