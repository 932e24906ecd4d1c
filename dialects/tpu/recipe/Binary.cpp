//===- Binary.cpp - recipes of the Binary family --------------------------===//

#include "dialects/tpu/Binary.h"

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/recipe/Bounds.h"
#include "dialects/tpu/recipe/Requantize.h"
#include "dialects/tpu/recipe/Sequence.h"
#include "dialects/tpu/sequence/Functions.h"
#include "runtime/ppl/Commands.h"

using namespace weft;
using namespace weft::tpu;
using catalog::DataType;
using llvm::ArrayRef;
using llvm::StringRef;

// An AR command reads any strides; in a sequence other commands may come first.
bool BinaryOp::readsStrided(unsigned) { return !isSequence(); }

InputNeed BinaryOp::inputNeed(unsigned operand, const Box &result) {
  return broadcastNeed(getOperand(operand), result);
}

// A constant with one number a channel. As a tensor of its own every number
// would be a run of its own in DRAM, and take an EU row in its lane.
bool BinaryOp::isPackedOperand(unsigned operand) {
  mlir::Value value = getOperand(operand);
  if (isSequence() || isInteger() || isQuantized(getLhs()) ||
      !llvm::isa_and_nonnull<WeightOp>(value.getDefiningOp()))
    return false;
  Dims dims = dimsOf(value);
  return dims == Dims{1, dimsOf(getOutput())[kAxisC], 1, 1};
}

bool BinaryOp::repeatsChannel(unsigned operand) {
  return dimsOf(getOperand(operand))[kAxisC] != dimsOf(getOutput())[kAxisC];
}

bool BinaryOp::isTileable() {
  return canRepeatChannels() ||
         (!repeatsChannel(0) && (!getRhs() || !repeatsChannel(1)));
}

/// Operand `number`, whose one channel may stand for all.
static Tile repeatedOperand(BinaryOp op, RecipeBuilder &r, unsigned number) {
  Tile tile = r.operand(number);
  return op.repeatsChannel(number)
             ? r.rowForEach(tile, r.result().shape[kAxisC])
             : tile;
}

/// Operand `number` of a float op, a tile or a constant.
static Tile floatOperand(BinaryOp op, RecipeBuilder &r, unsigned number) {
  return op.isPackedOperand(number)
             ? r.numberPerChannel(number ? "rhs" : "lhs", number)
             : repeatedOperand(op, r, number);
}

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
    amount = r.as(tile, catalog::integerType(catalog::bitsOf(tile.type),
                                             /*isSigned=*/true));
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
}

/// result = lhs <kind> rhs on integers, exact and wrapped.
static void buildInteger(BinaryOp op, RecipeBuilder &r) {
  if (op.getKind() == BinaryKind::ShiftLeft ||
      op.getKind() == BinaryKind::ShiftRight)
    return buildShift(op, r);
  RecipeArgument lhs = repeatedOperand(op, r, 0),
                 rhs = op.getConstant()
                           ? RecipeArgument(static_cast<int64_t>(
                                 op.getConstantAttr().getValueAsDouble()))
                           : RecipeArgument(repeatedOperand(op, r, 1));
  if (op.getReversed())
    std::swap(lhs, rhs);
  Tile result = r.result();
  // A difference counts as signed; its low bits are the same.
  if (op.getKind() == BinaryKind::Sub)
    result = r.as(result, catalog::integerType(catalog::bitsOf(result.type),
                                               /*isSigned=*/true));
  r.binary(integerFunction(op.getKind()), result, lhs, rhs);
}

static void buildFloat(BinaryOp op, RecipeBuilder &r) {
  Tile result = r.result();
  RecipeArgument lhs = floatOperand(op, r, 0);
  RecipeArgument rhs = op.getRhs()
                           ? RecipeArgument(floatOperand(op, r, 1))
                           : asFloat(op.getConstantAttr().getValueAsDouble());
  if (changesPlaces(op))
    std::swap(lhs, rhs);
  bool isDivision = op.getKind() == BinaryKind::Div;
  r.binary(floatFunction(op.getKind()), result, lhs, rhs,
           isDivision ? llvm::ArrayRef<Given>(kDivisionSteps)
                      : llvm::ArrayRef<Given>());
  if (op.getRelu())
    atLeast(r, result, result, 0.0);
}

/// The multiplier and shift of operand `number`, or of a product.
static Requantization requantizationOf(BinaryOp op, unsigned number) {
  return {(*op.getMultipliers())[number], (*op.getRshifts())[number]};
}

/// result = left <kind> right, 16-bit terms in the scale of the result.
static void combineTerms(BinaryOp op, RecipeBuilder &r, const Tile &left,
                         const Tile &right) {
  StringRef function = integerFunction(op.getKind());
  const Given saturated{"saturation", true};
  if (elementIsSigned(op.getOutput()))
    return r.binary(function, r.result(), left, right, saturated);
  // Signed operands give a signed sum; the cast then clips it at 0, which is
  // the relu as well.
  Tile sum = r.scratch("sum", r.result().shape, DataType::Int16);
  r.binary(function, sum, left, right, saturated);
  r.cast(r.result(), sum);
}

static void buildInt8(BinaryOp op, RecipeBuilder &r) {
  Tile result = r.result(), lhs = r.operand(0), rhs = r.operand(1);
  if (!op.getMultipliers()) {
    r.binary(integerFunction(op.getKind()), result, lhs, rhs);
    return;
  }
  if (op.getKind() == BinaryKind::Mul) {
    bool anySigned =
        elementIsSigned(op.getLhs()) || elementIsSigned(op.getRhs());
    Tile product = r.scratch("product", result.shape,
                             anySigned ? DataType::Int32 : DataType::Uint32);
    r.binary("tiu.mul", product, lhs, rhs);
    // A product of two bytes fits 31 bits, so it may be read as signed.
    buildRq1(r, result, r.as(product, DataType::Int32),
             requantizationOf(op, 0));
    return;
  }
  Tile left = r.scratch("left", lhs.shape, DataType::Int16),
       right = r.scratch("right", rhs.shape, DataType::Int16);
  for (auto [wide, operand, i] :
       {std::tuple(left, lhs, 0), std::tuple(right, rhs, 1)}) {
    bool isWide = catalog::bitsOf(operand.type) == 16; // as rq1 reads it
    if (!isWide)
      r.cast(wide, operand);
    buildRq1(r, wide, isWide ? operand : wide, requantizationOf(op, i));
  }
  combineTerms(op, r, left, right);
}

/// Whether signed operands are brought to the scale of the result one by one.
static bool scalesTerms(mlir::Operation *operation) {
  auto op = llvm::cast<BinaryOp>(operation);
  bool isSum =
      op.getKind() == BinaryKind::Add || op.getKind() == BinaryKind::Sub;
  return isSum && isQuantized(op.getLhs()) && op.getMultipliers() &&
         elementIsSigned(op.getLhs()) && elementIsSigned(op.getRhs());
}

/// Each by one product instead of a cast and an rq1.
static void buildInt8Products(mlir::Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<BinaryOp>(operation);
  Tile lhs = r.operand(0), rhs = r.operand(1);
  Tile left = r.scratch("left", lhs.shape, DataType::Int16),
       right = r.scratch("right", rhs.shape, DataType::Int16);
  buildScaledProduct(r, left, lhs, requantizationOf(op, 0));
  buildScaledProduct(r, right, rhs, requantizationOf(op, 1));
  combineTerms(op, r, left, right);
}

static void buildBinary(mlir::Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<BinaryOp>(operation);
  if (std::optional<Sequence> sequence = sequenceOf(op))
    return buildSequence(r, *sequence);
  if (op.isInteger())
    return buildInteger(op, r);
  if (isQuantized(op.getLhs()))
    return buildInt8(op, r);
  buildFloat(op, r);
}

bool BinaryOp::runsInAnyLane() { return true; }

ArrayRef<Alternative> BinaryOp::recipes() {
  static const Alternative list[] = {
      {"elements", buildBinary}, {"products", buildInt8Products, scalesTerms}};
  return list;
}
