//===- Norm.cpp - emission of the Norm family -----------------------------===//

#include "dialects/tpu/Norm.h"

#include "codegen/emit/Emit.h"
#include "codegen/emit/RawBytes.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::ScaleOp;

static LogicalResult packScale(Operation *operation, const Chip &,
                               std::vector<PackedBytes> &out) {
  auto op = llvm::cast<ScaleOp>(operation);
  for (Value operand : {op.getScale(), op.getBias()}) {
    FailureOr<PackedBytes> bytes = weightBytes(op, operand);
    if (failed(bytes))
      return failure();
    out.push_back(*bytes);
  }
  return success();
}

static LogicalResult emitScaleOp(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<ScaleOp>(operation);
  Type element = machineType(tpu::elementOf(op.getOutput()));
  Value result = emitter.result();
  emitter.call("tiu.fscale", {{"dst", result},
                              {"src", emitter.operand(0)},
                              {"scale", emitter.constant(0, element)},
                              {"bias", emitter.constant(1, element)}});
  if (op.getRelu())
    emitter.binary("tiu.fmax", result, result, 0.0);
  return success();
}

void weft::emit::registerNorm(EmitTable &table) {
  table.local["tpu.scale"] = emitScaleOp;
  table.pack["tpu.scale"] = packScale;
}
