//===- Binary.cpp - the Binary family on vectors --------------------------===//

#include "dialects/tpu/Binary.h"

#include "dialects/tpu/evaluate/Numbers.h"
#include "dialects/tpu/sequence/Functions.h"
#include "passes/zhouyi/Emitter.h"
#include "passes/zhouyi/Requantize.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;
using tpu::BinaryKind;

/// Lanes that functions of several registers are emitted for.
static constexpr int64_t kLanes = kByteLanes;

static SmallVector<Stream> operandsOf(tpu::BinaryOp op, Emitter &emitter) {
  SmallVector<Stream> streams{broadcast(emitter, op.getLhs(), op.getOutput())};
  if (op.getRhs())
    streams.push_back(broadcast(emitter, op.getRhs(), op.getOutput()));
  return streams;
}

static Stream resultOf(tpu::BinaryOp op, Emitter &emitter) {
  return dense(emitter.result(op.getOutput()),
               op.getOutput().getType().getShape());
}

/// One function of two vectors of one type; null for kinds without one. Beside
/// a NaN the definition's max gives y and its min x; clip keeps what it clips.
static Value apply(Code &code, BinaryKind kind, Value x, Value y) {
  switch (kind) {
  case BinaryKind::Add:
    return code.vadd(x, y);
  case BinaryKind::Sub:
    return code.vsub(x, y);
  case BinaryKind::Mul:
    return code.vmul(x, y);
  case BinaryKind::Div:
    return code.vdiv(x, y);
  case BinaryKind::Max:
    return code.max(y, x);
  case BinaryKind::Min:
    return code.min(x, y);
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// float16 has no quotient of its own: f32's, rounded once more, is what the
/// definition says. So is the relu of a product before a negative one becomes
/// -0 in float16.
static Value applyToFloats(Code &code, tpu::BinaryOp op, Value x, Value y) {
  Type element = elementOf(x);
  BinaryKind kind = op.getKind();
  bool isWide =
      kind == BinaryKind::Div || (kind == BinaryKind::Mul && op.getRelu());
  if (isWide && !element.isF32()) {
    x = code.cast(x, code.f32());
    y = code.cast(y, code.f32());
  }
  Value value = apply(code, kind, x, y);
  return code.cast(op.getRelu() ? code.relu(value) : value, element);
}

static LogicalResult emitFloat(tpu::BinaryOp op, Emitter &emitter) {
  Code &code = emitter.code;
  Type element = tpu::elementOf(op.getOutput());
  double constant =
      op.getConstant()
          ? tpu::roundTo(element, op.getConstant()->convertToDouble())
          : 0.0;
  overElements(code, op.getOutput().getType().getShape(),
               operandsOf(op, emitter), resultOf(op, emitter), kLanes,
               [&](ArrayRef<Value> in) {
                 Value x = in[0];
                 Value y = in.size() > 1 ? in[1] : code.numberLike(x, constant);
                 if (tpu::changesPlaces(op))
                   std::swap(x, y);
                 return applyToFloats(code, op, x, y);
               });
  return success();
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// x * 2^n or floor(x / 2^n) for a constant n. A signed x is moved among the
/// unsigned numbers and back, as division rounds toward zero.
static Value shiftedBy(Code &code, BinaryKind kind, Value x, int64_t amount) {
  Type element = elementOf(x);
  unsigned bits = element.getIntOrFloatBitWidth();
  if (kind == BinaryKind::ShiftLeft) {
    if (amount >= bits)
      return code.numberLike(x, 0);
    Type wide = bits == 8 ? code.integer(16, true) : element;
    Value factor = code.integerNumber(wide, lanesOf(x), int64_t(1) << amount);
    return code.cast(code.vmul(code.cast(x, wide), factor), element);
  }
  bool isSigned = !element.isUnsignedInteger();
  amount = std::min<int64_t>(amount, bits - 1);
  Type plain = code.integer(bits, false);
  int64_t middle = isSigned ? int64_t(1) << (bits - 1) : 0;
  Value moved = code.vadd(code.bits(x, plain),
                          code.integerNumber(plain, lanesOf(x), middle));
  Value quotient = code.vdiv(
      moved, code.integerNumber(plain, lanesOf(x), int64_t(1) << amount));
  return code.bits(code.vsub(quotient, code.integerNumber(plain, lanesOf(x),
                                                          middle >> amount)),
                   element);
}

static bool isShiftKind(BinaryKind kind) {
  return kind == BinaryKind::ShiftLeft || kind == BinaryKind::ShiftRight;
}

static int64_t integerConstant(tpu::BinaryOp op) {
  FloatAttr constant = op.getConstantAttr();
  return constant ? int64_t(constant.getValueAsDouble()) : 0;
}

static std::optional<Refusal> refuseInteger(tpu::BinaryOp op) {
  BinaryKind kind = op.getKind();
  Type element = storedElement(op.getOutput());
  bool isShift = isShiftKind(kind);
  bool isBitwise = kind == BinaryKind::And || kind == BinaryKind::Or ||
                   kind == BinaryKind::Xor;
  if (isBitwise || (isShift && op.getRhs()))
    return Refusal(
        op,
        inWords("'", tpu::stringifyBinaryKind(kind),
                isShift ? "' by a tensor" : "' of bits",
                ", which it needs, is not one of the machine's functions"),
        "");
  if (isShift && !op.getReversed() && element.isUnsignedInteger() &&
      kind == BinaryKind::ShiftRight &&
      integerConstant(op) >= element.getIntOrFloatBitWidth())
    return Refusal(op, "a shift by more bits than there are", "");
  return std::nullopt;
}

static LogicalResult emitInteger(tpu::BinaryOp op, Emitter &emitter) {
  Code &code = emitter.code;
  BinaryKind kind = op.getKind();
  Type element = emitter.stored(op.getOutput());
  bool isShift = isShiftKind(kind);
  int64_t constant = integerConstant(op);
  bool isNarrowProduct =
      kind == BinaryKind::Mul && element.getIntOrFloatBitWidth() == 8;
  Type wide = isNarrowProduct ? code.integer(16, true) : element;
  overElements(code, op.getOutput().getType().getShape(),
               operandsOf(op, emitter), resultOf(op, emitter), kLanes,
               [&](ArrayRef<Value> in) {
                 if (isShift)
                   return shiftedBy(code, kind, in[0], constant);
                 Value x = code.cast(in[0], wide);
                 Value y = in.size() > 1
                               ? code.cast(in[1], wide)
                               : code.integerNumber(wide, lanesOf(x), constant);
                 if (op.getReversed())
                   std::swap(x, y);
                 return code.cast(apply(code, kind, x, y), element);
               });
  return success();
}

//===----------------------------------------------------------------------===//
// Quantized numbers
//===----------------------------------------------------------------------===//

/// The largest magnitude of the stored integers of `value`.
static int64_t boundOf(Value value) {
  tpu::IntegerRange range = tpu::rangeOf(tpu::elementOf(value));
  return std::max(-range.low, range.high);
}

static std::optional<Refusal> refuseScaledSum(tpu::BinaryOp op) {
  ArrayRef<int32_t> m = *op.getMultipliers(), s = *op.getRshifts();
  if (Requantizer::isExact(m[0], s[0], boundOf(op.getLhs())) &&
      Requantizer::isExact(m[1], s[1], boundOf(op.getRhs())))
    return std::nullopt;
  return Refusal(op, "a scale above 2^20", "");
}

/// round(lhs * m0 >> s0) +- round(rhs * m1 >> s1), clipped.
static LogicalResult emitScaledSum(tpu::BinaryOp op, Emitter &emitter) {
  Code &code = emitter.code;
  ArrayRef<int32_t> m = *op.getMultipliers(), s = *op.getRshifts();
  Requantizer left(emitter, m[0], s[0], boundOf(op.getLhs()), true),
      right(emitter, m[1], s[1], boundOf(op.getRhs()), true);
  tpu::IntegerRange range = tpu::rangeOf(tpu::elementOf(op.getOutput()));
  Requantizer::Parameters p = left.read(code, {}, 0, false),
                          q = right.read(code, {}, 0, false);
  overElements(
      code, op.getOutput().getType().getShape(), operandsOf(op, emitter),
      resultOf(op, emitter), kWordLanes, [&](ArrayRef<Value> in) {
        Value x =
            Requantizer::requantize(code, code.cast(in[0], code.s32()), p);
        Value y =
            Requantizer::requantize(code, code.cast(in[1], code.s32()), q);
        Value sum = apply(code, op.getKind(), x, y);
        return code.cast(code.clip(sum, range.low, range.high),
                         emitter.stored(op.getOutput()));
      });
  return success();
}

/// round(lhs * rhs * m >> s), clipped.
static LogicalResult emitScaledProduct(tpu::BinaryOp op, Emitter &emitter) {
  Code &code = emitter.code;
  Requantizer scale(emitter, *op.getMultipliers(), *op.getRshifts(),
                    boundOf(op.getLhs()) * boundOf(op.getRhs()), false);
  tpu::IntegerRange range = tpu::rangeOf(tpu::elementOf(op.getOutput()));
  Requantizer::Parameters p = scale.read(code, {}, 0, false);
  overElements(code, op.getOutput().getType().getShape(),
               operandsOf(op, emitter), resultOf(op, emitter), kWordLanes,
               [&](ArrayRef<Value> in) {
                 Value product = code.vmul(code.cast(in[0], code.s32()),
                                           code.cast(in[1], code.s32()));
                 Value value = Requantizer::requantize(code, product, p);
                 return code.cast(code.clip(value, range.low, range.high),
                                  emitter.stored(op.getOutput()));
               });
  return success();
}

static std::optional<Refusal> refuseBinary(tpu::BinaryOp op) {
  if (tpu::isQuantized(op.getOutput()) && op.getMultipliers())
    return op.getMultipliers()->size() == 2 ? refuseScaledSum(op)
                                            : std::nullopt;
  if (tpu::isQuantized(op.getOutput()) || op.isInteger())
    return refuseInteger(op);
  if (op.isSequence())
    return Refusal(op,
                   inWords("'", tpu::stringifyBinaryKind(op.getKind()),
                           "' is not one of the machine's functions"),
                   "");
  return std::nullopt;
}

static LogicalResult emitBinary(tpu::BinaryOp op, Emitter &emitter) {
  if (tpu::isQuantized(op.getOutput()) && op.getMultipliers())
    return op.getMultipliers()->size() == 2 ? emitScaledSum(op, emitter)
                                            : emitScaledProduct(op, emitter);
  if (tpu::isQuantized(op.getOutput()) || op.isInteger())
    return emitInteger(op, emitter);
  return emitFloat(op, emitter);
}

void zhouyi::addBinary(EmitTable &table) {
  table.add<tpu::BinaryOp>(emitBinary, refuseBinary);
}
