//===- Cast.cpp - the Cast family on vectors ------------------------------===//

#include "dialects/tpu/Cast.h"

#include "dialects/tpu/evaluate/Numbers.h"
#include "passes/zhouyi/Emitter.h"
#include "passes/zhouyi/Requantize.h"
#include "passes/zhouyi/Steps.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;
using tpu::Rounding;

static void overAll(tpu::CastOp op, Emitter &emitter, int64_t lanes,
                    llvm::function_ref<Value(Value)> function) {
  ArrayRef<int64_t> shape = op.getOutput().getType().getShape();
  overElements(emitter.code, shape,
               {dense(emitter.pointer(op.getInput()), shape)},
               dense(emitter.result(op.getOutput()), shape), lanes,
               [&](ArrayRef<Value> in) { return function(in[0]); });
}

/// `x`, a vector of floats, rounded to whole numbers; null for a mode without a
/// sequence. A cast to integers rounds toward zero itself.
static Value rounded(Code &code, Value x, Rounding mode) {
  auto single = [&] { return code.cast(x, code.f32()); };
  switch (mode) {
  case Rounding::HalfEven:
    return code.vrint(x);
  case Rounding::TowardsZero:
    return x;
  case Rounding::Down:
    return floorOf(code, single());
  case Rounding::Up:
    return ceilOf(code, single());
  default:
    return {};
  }
}

/// Whether a cast rounds floats to whole numbers.
static bool roundsFloats(tpu::CastOp op) {
  Type to = tpu::elementOf(op.getOutput());
  return llvm::isa<FloatType>(tpu::elementOf(op.getInput())) &&
         (tpu::isQuantized(op.getOutput()) || llvm::isa<IntegerType>(to));
}

static std::optional<Refusal> refuseCast(tpu::CastOp op) {
  if (op.getBits())
    return std::nullopt;
  Rounding mode = op.roundingMode();
  bool requantizes =
      tpu::isQuantized(op.getInput()) && tpu::isQuantized(op.getOutput());
  if (requantizes && mode != Rounding::HalfUp)
    return Refusal(op,
                   inWords("a requantization that rounds '",
                           tpu::stringifyRounding(mode), "'"),
                   "");
  if (roundsFloats(op) &&
      (mode == Rounding::HalfAway || mode == Rounding::HalfUp ||
       mode == Rounding::HalfDown))
    return Refusal(
        op, inWords("a cast that rounds '", tpu::stringifyRounding(mode), "'"),
        "");
  return std::nullopt;
}

static LogicalResult emitRequantize(tpu::CastOp op, Emitter &emitter) {
  Code &code = emitter.code;
  tpu::IntegerRange from = tpu::rangeOf(tpu::elementOf(op.getInput())),
                    to = tpu::rangeOf(tpu::elementOf(op.getOutput()));
  auto multiplier = int32_t(*op.getMultiplier());
  auto shift = int32_t(*op.getRshift());
  Requantizer scale(emitter, multiplier, shift, std::max(-from.low, from.high),
                    false);
  Requantizer::Parameters p = scale.read(code, {}, 0, false);
  overAll(op, emitter, kWordLanes, [&](Value x) {
    Value value = Requantizer::requantize(code, code.cast(x, code.s32()), p);
    return code.cast(code.clip(value, to.low, to.high),
                     emitter.stored(op.getOutput()));
  });
  return success();
}

static LogicalResult emitQuantize(tpu::CastOp op, Emitter &emitter) {
  Code &code = emitter.code;
  Type from = tpu::elementOf(op.getInput()),
       to = tpu::elementOf(op.getOutput());
  double factor = tpu::roundTo(from, 1.0 / tpu::scaleOf(to));
  overAll(op, emitter, kByteLanes, [&](Value x) {
    Value scaled = code.vmul(x, code.numberLike(x, factor));
    return code.cast(rounded(code, scaled, op.roundingMode()),
                     emitter.stored(op.getOutput()));
  });
  return success();
}

/// To a float type: by way of f32, and times the scale of a quantized input.
static void emitToFloat(tpu::CastOp op, Emitter &emitter) {
  Code &code = emitter.code;
  bool isQuantized = tpu::isQuantized(op.getInput());
  double scale =
      isQuantized ? double(float(tpu::scaleOf(tpu::elementOf(op.getInput()))))
                  : 1.0;
  overAll(op, emitter, kByteLanes, [&](Value x) {
    Value single = code.cast(x, code.f32());
    if (isQuantized)
      single = code.vmul(single, code.numberLike(single, scale));
    return code.cast(single, tpu::elementOf(op.getOutput()));
  });
}

static LogicalResult emitCast(tpu::CastOp op, Emitter &emitter) {
  Code &code = emitter.code;
  Type to = tpu::elementOf(op.getOutput());
  Type element = emitter.stored(op.getOutput());
  if (op.getBits()) {
    Value source = code.pointerTo(emitter.pointer(op.getInput()), element);
    copyDense(code, source, emitter.result(op.getOutput()),
              op.getOutput().getType().getNumElements());
    return success();
  }
  bool fromQuantized = tpu::isQuantized(op.getInput());
  bool toQuantized = tpu::isQuantized(op.getOutput());
  if (fromQuantized && toQuantized)
    return emitRequantize(op, emitter);
  bool rounds = roundsFloats(op);
  if (toQuantized)
    return emitQuantize(op, emitter);
  if (llvm::isa<FloatType>(to))
    return emitToFloat(op, emitter), success();
  overAll(op, emitter, kByteLanes, [&](Value x) {
    return code.cast(rounds ? rounded(code, x, op.roundingMode()) : x, element);
  });
  return success();
}

void zhouyi::addCast(EmitTable &table) {
  table.add<tpu::CastOp>(emitCast, refuseCast);
}
