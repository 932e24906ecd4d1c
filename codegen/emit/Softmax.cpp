//===- Softmax.cpp - emission of the Softmax family -----------------------===//

#include "dialects/tpu/Softmax.h"

#include "codegen/emit/Lines.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::ReduceKind;
using tpu::SoftmaxOp;

static LogicalResult emitSoftmaxOp(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<SoftmaxOp>(operation);
  unsigned axis = op.getAxis();
  Type f32 = emitter.builder.getF32Type();
  bool narrow = tpu::elementBits(tpu::elementOf(op.getOutput())) == 16;
  Value result = emitter.result(), input = emitter.operand(0);
  // Scratch: 0..3 the exponential's, 4 powers, 5 half of the axis, 6 one value
  // a line.
  Value powers = emitter.scratch(4, f32), half = emitter.scratch(5, f32),
        statistics = emitter.scratch(6, f32);
  if (narrow) {
    emitter.cast(powers, input);
    input = powers;
  }
  emitTree(emitter, ReduceKind::Max, statistics, input, half, axis);
  emitter.binary("tiu.fsub", powers, input, statistics);
  emitExp(emitter, powers, powers, 0);
  emitTree(emitter, ReduceKind::Sum, statistics, powers, half, axis);
  Value quotient = narrow ? powers : result;
  emitter.binary("tiu.fdiv", quotient, powers, statistics, kDivisionSteps);
  if (narrow)
    emitter.cast(result, quotient);
  return success();
}

void weft::emit::registerSoftmax(EmitTable &table) {
  table.local["tpu.softmax"] = emitSoftmaxOp;
}
