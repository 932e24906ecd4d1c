//===- Norm.cpp - the Norm family on vectors ------------------------------===//

#include "dialects/tpu/Norm.h"

#include "passes/zhouyi/Emitter.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

/// x * scale + bias, rounded after each step.
static LogicalResult emitScale(tpu::ScaleOp op, Emitter &emitter) {
  Code &code = emitter.code;
  ArrayRef<int64_t> shape = op.getOutput().getType().getShape();
  Stream operands[] = {broadcast(emitter, op.getInput(), op.getOutput()),
                       broadcast(emitter, op.getScale(), op.getOutput()),
                       broadcast(emitter, op.getBias(), op.getOutput())};
  overElements(code, shape, operands,
               dense(emitter.result(op.getOutput()), shape), kByteLanes,
               [&](ArrayRef<Value> in) {
                 Value value = code.vadd(code.vmul(in[0], in[1]), in[2]);
                 return op.getRelu() ? code.relu(value) : value;
               });
  return success();
}

void zhouyi::addNorm(EmitTable &table) { table.add<tpu::ScaleOp>(emitScale); }
