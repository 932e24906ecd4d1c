//===- Cast.cpp - emission of the Cast family -----------------------------===//

#include "dialects/tpu/Cast.h"

#include "codegen/emit/Emit.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::CastOp;

/// q = sat(round(x * (1/S))): one product in the type of x, one cast.
static void quantize(CastOp op, OpEmitter &emitter) {
  Type element = machineType(tpu::elementOf(op.getInput()));
  Value scaled = emitter.scratch(0, element);
  double scale = tpu::scaleOf(tpu::elementOf(op.getOutput()));
  emitter.binary("tiu.fmul", scaled, emitter.operand(0), asFloat(1.0 / scale));
  emitter.cast(emitter.result(), scaled,
               static_cast<numeric::Rounding>(op.roundingMode()));
}

static void requantize(CastOp op, OpEmitter &emitter) {
  Type si32 = emitter.builder.getIntegerType(32, /*isSigned=*/true);
  Value wide = emitter.scratch(0, si32); // rq1 reads 16 or 32 bits
  emitter.cast(wide, emitter.operand(0));
  emitter.call("tiu.rq1", {{"dst", emitter.result()},
                           {"src", wide},
                           {"multiplier", int64_t(*op.getMultiplier())},
                           {"shift", -int64_t(*op.getRshift())},
                           {"offset", 0},
                           {"round_mode", int64_t(op.roundingMode())}});
}

static void dequantize(CastOp op, OpEmitter &emitter) {
  bool narrow = tpu::elementBits(tpu::elementOf(op.getOutput())) == 16;
  Value wide = narrow ? emitter.scratch(0, emitter.builder.getF32Type())
                      : emitter.result();
  double scale = asFloat(tpu::scaleOf(tpu::elementOf(op.getInput())));
  emitter.call("tiu.dq0", {{"dst", wide},
                           {"src", emitter.operand(0)},
                           {"offset", 0},
                           {"scale", scale}});
  if (narrow)
    emitter.cast(emitter.result(), wide);
}

static bool isWhole(Value value) {
  return llvm::isa<IntegerType>(tpu::elementOf(value));
}

/// The integer type of the width of the elements of `op`.
static Type bitsOf(CastOp op) {
  return IntegerType::get(op.getContext(),
                          tpu::elementBits(tpu::elementOf(op.getOutput())),
                          IntegerType::Unsigned);
}

/// The low bits of integers: the machine's cast saturates, its sum does not.
/// The sum counts as signed if what it reads does.
static void emitWrapped(OpEmitter &emitter) {
  auto typeOf = [](Value tensor) {
    return llvm::cast<IntegerType>(
        llvm::cast<ppl::TensorViewType>(tensor.getType()).getElementType());
  };
  Value source = emitter.operand(0), result = emitter.result();
  Type seen = emitter.builder.getIntegerType(typeOf(result).getWidth(),
                                             typeOf(source).isSigned());
  emitter.binary("tiu.add", emitter.as(result, seen), source, 0);
}

static LogicalResult emitOp(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<CastOp>(operation);
  bool from = tpu::isQuantized(op.getInput()),
       to = tpu::isQuantized(op.getOutput());
  if (from && to)
    requantize(op, emitter);
  else if (from)
    dequantize(op, emitter);
  else if (to)
    quantize(op, emitter);
  else if (op.getInput().getType() == op.getOutput().getType())
    emitter.copy(emitter.result(), emitter.operand(0));
  else if (op.getBits())
    emitter.copy(emitter.as(emitter.result(), bitsOf(op)),
                 emitter.as(emitter.operand(0), bitsOf(op)));
  else if (isWhole(op.getInput()) && isWhole(op.getOutput()))
    emitWrapped(emitter);
  else
    emitter.cast(emitter.result(), emitter.operand(0),
                 static_cast<numeric::Rounding>(op.roundingMode()));
  return success();
}

void weft::emit::registerCast(EmitTable &table) {
  table.local["tpu.cast"] = emitOp;
}
