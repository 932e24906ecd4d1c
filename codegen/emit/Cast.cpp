//===- Cast.cpp - emission of the Cast family -----------------------------===//

#include "dialects/tpu/Cast.h"

#include "codegen/emit/Emit.h"
#include "dialects/ppl/TiuArith.h"
#include "dialects/ppl/TiuQuant.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::CastOp;

/// q = sat(round(x * (1/S))): one product in the type of x, one cast.
static void quantize(CastOp op, OpEmitter &emitter) {
  OpBuilder &builder = emitter.builder;
  Type element = machineType(tpu::elementOf(op.getInput()));
  Value scaled = emitter.scratch(0, element);
  double scale = tpu::scaleOf(tpu::elementOf(op.getOutput()));
  emitFloatOp(emitter, ppl::FloatKind::Mul, scaled, emitter.operand(0),
              emitter.f32(1.0 / scale));
  builder.create<ppl::CastOp>(emitter.loc(), emitter.result(), scaled,
                              static_cast<ppl::Rounding>(op.roundingMode()));
}

static void requantize(CastOp op, OpEmitter &emitter) {
  OpBuilder &builder = emitter.builder;
  auto si32 = IntegerType::get(op.getContext(), 32, IntegerType::Signed);
  Value wide = emitter.scratch(0, si32); // rq1 reads 16 or 32 bits
  builder.create<ppl::CastOp>(emitter.loc(), wide, emitter.operand(0),
                              ppl::Rounding::HalfToEven);
  int32_t rshift = *op.getRshift();
  builder.create<ppl::Rq1Op>(
      emitter.loc(), emitter.result(), wide, Value(), op.getMultiplierAttr(),
      IntegerAttr::get(si32, -rshift), IntegerAttr::get(si32, 0),
      static_cast<ppl::Rounding>(op.roundingMode()));
}

static void dequantize(CastOp op, OpEmitter &emitter) {
  OpBuilder &builder = emitter.builder;
  auto si32 = IntegerType::get(op.getContext(), 32, IntegerType::Signed);
  bool narrow = tpu::elementBits(tpu::elementOf(op.getOutput())) == 16;
  Value wide =
      narrow ? emitter.scratch(0, builder.getF32Type()) : emitter.result();
  float scale = static_cast<float>(tpu::scaleOf(tpu::elementOf(op.getInput())));
  builder.create<ppl::Dq0Op>(emitter.loc(), wide, emitter.operand(0), Value(),
                             builder.getF32FloatAttr(scale),
                             IntegerAttr::get(si32, 0));
  if (narrow)
    builder.create<ppl::CastOp>(emitter.loc(), emitter.result(), wide,
                                ppl::Rounding::HalfToEven);
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
    emitCopy(emitter, emitter.result(), emitter.operand(0));
  else if (op.getBits())
    emitCopy(emitter, emitter.as(emitter.result(), bitsOf(op)),
             emitter.as(emitter.operand(0), bitsOf(op)));
  else if (isWhole(op.getInput()) && isWhole(op.getOutput()))
    // The machine's cast of integers saturates, its sum keeps the low bits.
    emitter.builder.create<ppl::IntOp>(emitter.loc(), ppl::IntKind::Add,
                                       emitter.result(), emitter.operand(0),
                                       emitter.i32(0));
  else
    emitter.builder.create<ppl::CastOp>(
        emitter.loc(), emitter.result(), emitter.operand(0),
        static_cast<ppl::Rounding>(op.roundingMode()));
  return success();
}

void weft::emit::registerCast(EmitTable &table) {
  table.local["tpu.cast"] = emitOp;
}
