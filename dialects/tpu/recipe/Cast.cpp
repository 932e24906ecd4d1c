//===- Cast.cpp - recipes of the Cast family ------------------------------===//

#include "dialects/tpu/Cast.h"

#include "dialects/tpu/recipe/Requantize.h"
#include "runtime/ppl/Commands.h"

using namespace weft;
using namespace weft::tpu;
using catalog::DataType;

// Dequantization starts with a command that has no strides (DQ), and so does
// quantization with a zero point (LIN).
bool CastOp::readsStrided(unsigned) {
  if (getBits() || (isQuantized(getInput()) && isQuantized(getOutput())))
    return true;
  return !isQuantized(getInput()) && zeroPointOf(elementOf(getOutput())) == 0;
}

/// q = sat(round(x * (1/S) + Z)): one command of the type of x, which costs the
/// same with a sum, and one cast; the cast alone if S is 1 and Z is 0.
static void quantize(CastOp op, RecipeBuilder &r) {
  Tile input = r.operand(0);
  auto rounding = static_cast<numeric::Rounding>(op.roundingMode());
  mlir::Type to = elementOf(op.getOutput());
  if (scaleOf(to) == 1 && zeroPointOf(to) == 0)
    return r.cast(r.result(), input, rounding);
  Tile scaled = r.scratch("scaled", input.shape, input.type);
  double factor = asFloat(1.0 / scaleOf(to));
  if (int64_t zeroPoint = zeroPointOf(to))
    r.scale(scaled, input, factor, static_cast<double>(zeroPoint));
  else
    r.binary("tiu.fmul", scaled, input, factor);
  r.cast(r.result(), scaled, rounding);
}

static Requantization requantizationOf(CastOp op) {
  return {static_cast<int32_t>(*op.getMultiplier()),
          static_cast<int64_t>(*op.getRshift()),
          static_cast<numeric::Rounding>(op.roundingMode()),
          zeroPointOf(elementOf(op.getOutput()))};
}

static void requantize(CastOp op, RecipeBuilder &r) {
  Tile wide = r.scratch("wide", r.result().shape,
                        DataType::Int32); // rq1 reads 16 or 32 bits
  if (int64_t zeroPoint = zeroPointOf(elementOf(op.getInput())))
    r.binary("tiu.sub", wide, r.operand(0), zeroPoint);
  else
    r.cast(wide, r.operand(0));
  buildRq1(r, r.result(), wide, requantizationOf(op));
}

static void dequantize(CastOp op, RecipeBuilder &r) {
  Tile result = r.result();
  bool narrow = catalog::bitsOf(result.type) == 16;
  Tile wide = narrow ? r.scratch("wide", result.shape, DataType::Fp32) : result;
  mlir::Type from = elementOf(op.getInput());
  r.call("tiu.dq0", {{"dst", wide},
                     {"src", r.operand(0)},
                     {"offset", zeroPointOf(from)},
                     {"scale", double(asFloat(scaleOf(from)))}});
  if (narrow)
    r.cast(result, wide);
}

static bool isWhole(mlir::Value value) {
  return llvm::isa<mlir::IntegerType>(elementOf(value));
}

/// The low bits of integers: the machine's cast saturates, its sum does not.
/// The sum counts as signed if what it reads does.
static void addWrapped(RecipeBuilder &r) {
  Tile source = r.operand(0), result = r.result();
  DataType seen = catalog::integerType(catalog::bitsOf(result.type),
                                       catalog::isSigned(source.type));
  r.binary("tiu.add", r.as(result, seen), source, 0);
}

static void buildCast(mlir::Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<CastOp>(operation);
  bool from = isQuantized(op.getInput()), to = isQuantized(op.getOutput());
  Tile result = r.result(), input = r.operand(0);
  DataType bits = catalog::integerType(catalog::bitsOf(result.type), false);
  if (op.getBits())
    r.copy(r.as(result, bits), r.as(input, bits));
  else if (from && to)
    requantize(op, r);
  else if (from)
    dequantize(op, r);
  else if (to)
    quantize(op, r);
  else if (op.getInput().getType() == op.getOutput().getType())
    r.copy(result, input);
  else if (isWhole(op.getInput()) && isWhole(op.getOutput()))
    addWrapped(r);
  else
    r.cast(result, input, static_cast<numeric::Rounding>(op.roundingMode()));
}

static bool isRequantizedAlike(mlir::Operation *operation) {
  auto op = llvm::cast<CastOp>(operation);
  return isQuantized(op.getInput()) && isQuantized(op.getOutput()) &&
         zeroPointOf(elementOf(op.getInput())) == 0 &&
         zeroPointOf(elementOf(op.getOutput())) == 0 &&
         isScaledProduct(op.getInput(), op.getOutput(), *op.getMultiplier());
}

static void buildCastProduct(mlir::Operation *operation, RecipeBuilder &r) {
  buildScaledProduct(r, r.result(), r.operand(0),
                     requantizationOf(llvm::cast<CastOp>(operation)));
}

bool CastOp::runsInAnyLane() { return true; }

llvm::ArrayRef<Alternative> CastOp::recipes() {
  static const Alternative list[] = {
      {"cast", buildCast}, {"product", buildCastProduct, isRequantizedAlike}};
  return list;
}
