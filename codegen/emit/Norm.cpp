//===- Norm.cpp - emission of the Norm family -----------------------------===//

#include "dialects/tpu/Norm.h"

#include "codegen/emit/Emit.h"
#include "codegen/emit/RawBytes.h"
#include "dialects/ppl/TiuArith.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::ScaleOp;

static LogicalResult pack(Operation *operation, const Chip &,
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

static LogicalResult emitOp(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<ScaleOp>(operation);
  Type element = machineType(tpu::elementOf(op.getOutput()));
  OpBuilder &builder = emitter.builder;
  Value result = emitter.result();
  builder.create<ppl::LinearOp>(
      emitter.loc(), ppl::LinearKind::Mac, result, emitter.operand(0),
      emitter.constant(0, element), emitter.constant(1, element));
  if (op.getRelu())
    emitFloatOp(emitter, ppl::FloatKind::Max, result, result, emitter.f32(0.0));
  return success();
}

void weft::emit::registerNorm(EmitTable &table) {
  table.local["tpu.scale"] = emitOp;
  table.pack["tpu.scale"] = pack;
}
