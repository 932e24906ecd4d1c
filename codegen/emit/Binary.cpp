//===- Binary.cpp - emission of the Binary family -------------------------===//

#include "dialects/tpu/Binary.h"

#include "codegen/emit/Emit.h"
#include "codegen/emit/Sequence.h"
#include "dialects/ppl/TiuArith.h"
#include "dialects/ppl/TiuQuant.h"
#include "dialects/tpu/sequence/Functions.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::BinaryOp;

static ppl::FloatKind floatKind(tpu::BinaryKind kind) {
  switch (kind) {
  case tpu::BinaryKind::Add:
    return ppl::FloatKind::Add;
  case tpu::BinaryKind::Sub:
    return ppl::FloatKind::Sub;
  case tpu::BinaryKind::Mul:
    return ppl::FloatKind::Mul;
  case tpu::BinaryKind::Div:
    return ppl::FloatKind::Div;
  case tpu::BinaryKind::Max:
    return ppl::FloatKind::Max;
  case tpu::BinaryKind::Min:
    return ppl::FloatKind::Min;
  default:
    llvm_unreachable("the verifier leaves these to integers");
  }
}

static ppl::IntKind integerKind(tpu::BinaryKind kind, bool isUnsigned) {
  switch (kind) {
  case tpu::BinaryKind::Add:
    return ppl::IntKind::Add;
  case tpu::BinaryKind::Sub:
    return ppl::IntKind::Sub;
  case tpu::BinaryKind::Mul:
    return ppl::IntKind::Mul;
  case tpu::BinaryKind::Max:
    return ppl::IntKind::Max;
  case tpu::BinaryKind::Min:
    return ppl::IntKind::Min;
  case tpu::BinaryKind::And:
    return ppl::IntKind::And;
  case tpu::BinaryKind::Or:
    return ppl::IntKind::Or;
  case tpu::BinaryKind::Xor:
    return ppl::IntKind::Xor;
  case tpu::BinaryKind::ShiftLeft:
  case tpu::BinaryKind::ShiftRight:
    return isUnsigned ? ppl::IntKind::ShiftLogical : ppl::IntKind::ShiftArith;
  default:
    llvm_unreachable("the verifier leaves these to floats");
  }
}

/// dst = lhs <kind> rhs on integers, exact and wrapped. The machine shifts to
/// the left by a positive amount and to the right by a negative one.
static LogicalResult emitInteger(BinaryOp op, OpEmitter &emitter) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc();
  bool isRight = op.getKind() == tpu::BinaryKind::ShiftRight;
  Value result = emitter.result(), lhs = emitter.operand(0), rhs;
  if (op.getConstant()) {
    auto constant =
        static_cast<int64_t>(op.getConstantAttr().getValueAsDouble());
    rhs = emitter.i32(isRight ? -constant : constant);
  } else {
    rhs = emitter.operand(1);
  }
  if (op.getRhs() && isRight) {
    Value amount = emitter.scratch(
        0, IntegerType::get(op.getContext(), 8, IntegerType::Signed));
    builder.create<ppl::IntOp>(loc, ppl::IntKind::Sub, amount, emitter.i32(0),
                               rhs);
    rhs = amount;
  }
  if (op.getReversed())
    std::swap(lhs, rhs);
  bool isUnsigned = tpu::elementOf(op.getLhs()).isUnsignedInteger();
  builder.create<ppl::IntOp>(loc, integerKind(op.getKind(), isUnsigned), result,
                             lhs, rhs, Value(), ppl::Rounding::Floor,
                             /*saturate=*/false);
  return success();
}

static LogicalResult emitFloat(BinaryOp op, OpEmitter &emitter) {
  Value result = emitter.result(), lhs = emitter.operand(0);
  Value rhs = op.getRhs()
                  ? emitter.operand(1)
                  : emitter.f32(op.getConstantAttr().getValueAsDouble());
  if (op.getReversed())
    std::swap(lhs, rhs);
  if (op.getKind() == tpu::BinaryKind::Div &&
      !tpu::elementOf(op.getOutput()).isF32())
    return op.emitError("unsupported: 16-bit division; keep this layer in f32");
  emitFloatOp(emitter, floatKind(op.getKind()), result, lhs, rhs);
  if (op.getRelu())
    emitFloatOp(emitter, ppl::FloatKind::Max, result, result, emitter.f32(0.0));
  return success();
}

/// dst = src * multiplier >> rshift, half up.
static void requantize(OpEmitter &emitter, Value dst, Value src,
                       int32_t multiplier, int32_t rshift) {
  OpBuilder &builder = emitter.builder;
  auto si32 = IntegerType::get(builder.getContext(), 32, IntegerType::Signed);
  builder.create<ppl::Rq1Op>(emitter.loc(), dst, src, Value(),
                             builder.getI32IntegerAttr(multiplier),
                             IntegerAttr::get(si32, -rshift),
                             IntegerAttr::get(si32, 0), ppl::Rounding::HalfUp);
}

static LogicalResult emitInt8(BinaryOp op, OpEmitter &emitter) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc();
  Value result = emitter.result(), lhs = emitter.operand(0),
        rhs = emitter.operand(1);
  if (!op.getMultipliers()) {
    auto kind = op.getKind() == tpu::BinaryKind::Max ? ppl::IntKind::Max
                                                     : ppl::IntKind::Min;
    builder.create<ppl::IntOp>(loc, kind, result, lhs, rhs);
    return success();
  }
  ArrayRef<int32_t> multipliers = *op.getMultipliers(),
                    rshifts = *op.getRshifts();
  auto si16 = IntegerType::get(op.getContext(), 16, IntegerType::Signed);
  auto si32 = IntegerType::get(op.getContext(), 32, IntegerType::Signed);
  if (op.getKind() == tpu::BinaryKind::Mul) {
    bool anySigned =
        tpu::elementIsSigned(op.getLhs()) || tpu::elementIsSigned(op.getRhs());
    auto ui32 = IntegerType::get(op.getContext(), 32, IntegerType::Unsigned);
    Value product = emitter.scratch(0, anySigned ? si32 : ui32);
    builder.create<ppl::IntOp>(loc, ppl::IntKind::Mul, product, lhs, rhs);
    // A product of two bytes fits 31 bits, so it may be read as signed.
    requantize(emitter, result, emitter.as(product, si32), multipliers[0],
               rshifts[0]);
    return success();
  }
  Value left = emitter.scratch(0, si16), right = emitter.scratch(1, si16);
  for (auto [wide, operand, i] :
       {std::tuple(left, lhs, 0), std::tuple(right, rhs, 1)}) {
    builder.create<ppl::CastOp>(loc, wide, operand, ppl::Rounding::HalfToEven);
    requantize(emitter, wide, wide, multipliers[i], rshifts[i]);
  }
  auto kind = op.getKind() == tpu::BinaryKind::Add ? ppl::IntKind::Add
                                                   : ppl::IntKind::Sub;
  if (tpu::elementIsSigned(op.getOutput())) {
    builder.create<ppl::IntOp>(loc, kind, result, left, right,
                               /*saturate=*/true);
    return success();
  }
  // Signed operands give a signed sum; the cast then clips it at 0, which is
  // the relu as well.
  Value sum = emitter.scratch(2, si16);
  builder.create<ppl::IntOp>(loc, kind, sum, left, right, /*saturate=*/true);
  builder.create<ppl::CastOp>(loc, result, sum, ppl::Rounding::HalfToEven);
  return success();
}

static LogicalResult emitOp(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<BinaryOp>(operation);
  if (std::optional<tpu::Sequence> sequence = tpu::sequenceOf(op)) {
    emitSequence(emitter, *sequence);
    return success();
  }
  if (op.isInteger())
    return emitInteger(op, emitter);
  return tpu::isQuantized(op.getLhs()) ? emitInt8(op, emitter)
                                       : emitFloat(op, emitter);
}

static LogicalResult packOp(Operation *operation, const Chip &,
                            std::vector<PackedBytes> &out) {
  if (auto sequence = tpu::sequenceOf(llvm::cast<BinaryOp>(operation)))
    packSequence(*sequence, out);
  return success();
}

void weft::emit::registerBinary(EmitTable &table) {
  table.local["tpu.binary"] = emitOp;
  table.pack["tpu.binary"] = packOp;
}
