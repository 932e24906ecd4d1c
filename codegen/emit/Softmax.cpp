//===- Softmax.cpp - emission of the Softmax family -----------------------===//

#include "dialects/tpu/Softmax.h"

#include "codegen/emit/Lines.h"
#include "dialects/ppl/TiuArith.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::ReduceKind;
using tpu::SoftmaxOp;

static LogicalResult emitOp(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<SoftmaxOp>(operation);
  unsigned axis = op.getAxis();
  OpBuilder &builder = emitter.builder;
  Type f32 = builder.getF32Type();
  bool narrow = tpu::elementBits(tpu::elementOf(op.getOutput())) == 16;
  Value result = emitter.result(), input = emitter.operand(0);
  // Scratch: 0..3 the exponential's, 4 powers, 5 half of the axis, 6 one value
  // a line.
  Value powers = emitter.scratch(4, f32), half = emitter.scratch(5, f32),
        statistics = emitter.scratch(6, f32);
  if (narrow) {
    builder.create<ppl::CastOp>(emitter.loc(), powers, input,
                                ppl::Rounding::HalfToEven);
    input = powers;
  }
  emitTree(emitter, ReduceKind::Max, statistics, input, half, axis);
  emitFloatOp(emitter, ppl::FloatKind::Sub, powers, input, statistics);
  emitExp(emitter, powers, powers, 0);
  emitTree(emitter, ReduceKind::Sum, statistics, powers, half, axis);
  Value quotient = narrow ? powers : result;
  emitFloatOp(emitter, ppl::FloatKind::Div, quotient, powers, statistics);
  if (narrow)
    builder.create<ppl::CastOp>(emitter.loc(), result, quotient,
                                ppl::Rounding::HalfToEven);
  return success();
}

void weft::emit::registerSoftmax(EmitTable &table) {
  table.local["tpu.softmax"] = emitOp;
}
