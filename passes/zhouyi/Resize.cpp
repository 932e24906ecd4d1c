//===- Resize.cpp - the Resize family on vectors --------------------------===//

#include "dialects/tpu/Resize.h"

#include "passes/zhouyi/Emitter.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

/// Every input is a copy with the steps of its phase.
static LogicalResult emitInterleave(tpu::InterleaveOp op, Emitter &emitter) {
  Value result = emitter.result(op.getOutput());
  auto input = cast<RankedTensorType>(op.getInputs()[0].getType());
  ArrayRef<int64_t> shape = input.getShape();
  int64_t high = op.getFactors()[0], wide = op.getFactors()[1];
  int64_t width = shape[3] * wide, plane = shape[2] * high * width;
  for (int64_t phase = 0; phase < high * wide; ++phase) {
    Value source = op.getInputs()[op.getInputs().size() == 1 ? 0 : phase];
    Stream to{result,
              {shape[1] * plane, plane, high * width, wide},
              phase / wide * width + phase % wide};
    overElements(emitter.code, shape, {dense(emitter.pointer(source), shape)},
                 to, kByteLanes,
                 [](ArrayRef<Value> values) { return values[0]; });
  }
  return success();
}

void zhouyi::addResize(EmitTable &table) {
  table.add<tpu::InterleaveOp>(emitInterleave);
}
