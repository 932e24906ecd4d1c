//===- Binary.cpp - emission of the Binary family -------------------------===//

#include "dialects/tpu/Binary.h"

#include "codegen/emit/Emit.h"
#include "codegen/emit/Sequence.h"
#include "dialects/tpu/sequence/Functions.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::BinaryOp;

static StringRef floatFunction(tpu::BinaryKind kind) {
  switch (kind) {
  case tpu::BinaryKind::Add:
    return "tiu.fadd";
  case tpu::BinaryKind::Sub:
    return "tiu.fsub";
  case tpu::BinaryKind::Mul:
    return "tiu.fmul";
  case tpu::BinaryKind::Div:
    return "tiu.fdiv";
  case tpu::BinaryKind::Max:
    return "tiu.fmax";
  case tpu::BinaryKind::Min:
    return "tiu.fmin";
  default:
    llvm_unreachable("the verifier leaves these to integers");
  }
}

static StringRef integerFunction(tpu::BinaryKind kind) {
  switch (kind) {
  case tpu::BinaryKind::Add:
    return "tiu.add";
  case tpu::BinaryKind::Sub:
    return "tiu.sub";
  case tpu::BinaryKind::Mul:
    return "tiu.mul";
  case tpu::BinaryKind::Max:
    return "tiu.max";
  case tpu::BinaryKind::Min:
    return "tiu.min";
  case tpu::BinaryKind::And:
    return "tiu.bitwise_and";
  case tpu::BinaryKind::Or:
    return "tiu.bitwise_or";
  case tpu::BinaryKind::Xor:
    return "tiu.bitwise_xor";
  default:
    llvm_unreachable("the verifier leaves these to floats, shifts come apart");
  }
}

static Type integer(OpEmitter &emitter, unsigned bits, bool isSigned = true) {
  return emitter.builder.getIntegerType(bits, isSigned);
}

/// result = lhs shifted by rhs. The machine shifts to the left by a positive
/// amount and to the right by a negative one.
static LogicalResult emitShift(BinaryOp op, OpEmitter &emitter) {
  bool isRight = op.getKind() == tpu::BinaryKind::ShiftRight;
  Value result = emitter.result(), source = emitter.operand(0);
  Argument amount = 0;
  if (op.getConstant()) {
    auto constant =
        static_cast<int64_t>(op.getConstantAttr().getValueAsDouble());
    amount = isRight ? -constant : constant;
  } else {
    amount = emitter.operand(1);
    // Of the amount the machine reads the low byte, as a signed number.
    unsigned width = tpu::elementBits(tpu::elementOf(op.getRhs()));
    amount = emitter.as(amount.tensor(), integer(emitter, width));
  }
  if (op.getRhs() && isRight) {
    Value negative = emitter.scratch(0, integer(emitter, 8));
    emitter.binary("tiu.sub", negative, 0, amount);
    amount = negative;
  }
  bool isUnsigned = tpu::elementOf(op.getLhs()).isUnsignedInteger();
  emitter.call(isUnsigned ? "tiu.logical_shift" : "tiu.shift",
               {{"dst", result},
                {"src", source},
                {"shift", amount},
                {"round_mode", int64_t(numeric::Rounding::Floor)}});
  return success();
}

/// result = lhs <kind> rhs on integers, exact and wrapped.
static LogicalResult emitInteger(BinaryOp op, OpEmitter &emitter) {
  if (op.getKind() == tpu::BinaryKind::ShiftLeft ||
      op.getKind() == tpu::BinaryKind::ShiftRight)
    return emitShift(op, emitter);
  Argument lhs = emitter.operand(0),
           rhs = op.getConstant()
                     ? Argument(static_cast<int64_t>(
                           op.getConstantAttr().getValueAsDouble()))
                     : Argument(emitter.operand(1));
  if (op.getReversed())
    std::swap(lhs, rhs);
  Value result = emitter.result();
  // A difference counts as signed; its low bits are the same.
  if (op.getKind() == tpu::BinaryKind::Sub)
    result = emitter.as(
        result,
        integer(emitter, tpu::elementBits(tpu::elementOf(op.getOutput()))));
  emitter.binary(integerFunction(op.getKind()), result, lhs, rhs);
  return success();
}

static LogicalResult emitFloat(BinaryOp op, OpEmitter &emitter) {
  Value result = emitter.result();
  Argument lhs = emitter.operand(0);
  Argument rhs = op.getRhs() ? Argument(emitter.operand(1))
                             : asFloat(op.getConstantAttr().getValueAsDouble());
  if (op.getReversed())
    std::swap(lhs, rhs);
  bool isDivision = op.getKind() == tpu::BinaryKind::Div;
  emitter.binary(floatFunction(op.getKind()), result, lhs, rhs,
                 isDivision ? ArrayRef<Named>(kDivisionSteps)
                            : ArrayRef<Named>());
  if (op.getRelu())
    emitter.binary("tiu.fmax", result, result, 0.0);
  return success();
}

/// dst = src * multiplier >> rshift, half up.
static void requantize(OpEmitter &emitter, Value dst, Value src,
                       int32_t multiplier, int32_t rshift) {
  emitter.call("tiu.rq1", {{"dst", dst},
                           {"src", src},
                           {"multiplier", int64_t(multiplier)},
                           {"shift", -int64_t(rshift)},
                           {"offset", 0},
                           {"round_mode", int64_t(numeric::Rounding::HalfUp)}});
}

static LogicalResult emitInt8(BinaryOp op, OpEmitter &emitter) {
  Value result = emitter.result(), lhs = emitter.operand(0),
        rhs = emitter.operand(1);
  if (!op.getMultipliers()) {
    emitter.binary(integerFunction(op.getKind()), result, lhs, rhs);
    return success();
  }
  ArrayRef<int32_t> multipliers = *op.getMultipliers(),
                    rshifts = *op.getRshifts();
  if (op.getKind() == tpu::BinaryKind::Mul) {
    bool anySigned =
        tpu::elementIsSigned(op.getLhs()) || tpu::elementIsSigned(op.getRhs());
    Value product = emitter.scratch(0, integer(emitter, 32, anySigned));
    emitter.binary("tiu.mul", product, lhs, rhs);
    // A product of two bytes fits 31 bits, so it may be read as signed.
    requantize(emitter, result, emitter.as(product, integer(emitter, 32)),
               multipliers[0], rshifts[0]);
    return success();
  }
  Type si16 = integer(emitter, 16);
  Value left = emitter.scratch(0, si16), right = emitter.scratch(1, si16);
  for (auto [wide, operand, i] :
       {std::tuple(left, lhs, 0), std::tuple(right, rhs, 1)}) {
    emitter.cast(wide, operand);
    requantize(emitter, wide, wide, multipliers[i], rshifts[i]);
  }
  StringRef function = integerFunction(op.getKind());
  const Named saturated{"saturation", true};
  if (tpu::elementIsSigned(op.getOutput())) {
    emitter.binary(function, result, left, right, saturated);
    return success();
  }
  // Signed operands give a signed sum; the cast then clips it at 0, which is
  // the relu as well.
  Value sum = emitter.scratch(2, si16);
  emitter.binary(function, sum, left, right, saturated);
  emitter.cast(result, sum);
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
