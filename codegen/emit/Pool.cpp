//===- Pool.cpp - emission of the Pool family -----------------------------===//

#include "dialects/tpu/Pool.h"

#include "codegen/emit/Emit.h"
#include "dialects/ppl/TiuConv.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::PoolOp;

static LogicalResult emitOp(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<PoolOp>(operation);
  tpu::Pads pads = emitter.pads(0);
  SmallVector<int64_t, 4> padList{pads.top, pads.bottom, pads.left, pads.right};
  for (int64_t value : llvm::concat<const int64_t>(padList, op.getStrides()))
    if (value > int64_t(emitter.chip.maxWindowStep))
      return op.emitError("unsupported: padding or stride of ")
             << value << ", must be at most " << emitter.chip.maxWindowStep;
  bool isMax = op.getKind() == tpu::PoolKind::Max;
  bool isFloat = !tpu::isQuantized(op.getInput());
  double window = static_cast<double>(op.getKernel()[0]) *
                  static_cast<double>(op.getKernel()[1]);
  float scale = isFloat && !isMax ? static_cast<float>(1.0 / window) : 1.0f;
  int32_t multiplier = op.getMultiplier().value_or(1),
          rshift = op.getRshift().value_or(0);
  OpBuilder &builder = emitter.builder;
  builder.create<ppl::PoolOp>(
      emitter.loc(), isMax ? ppl::PoolKind::Max : ppl::PoolKind::Avg,
      emitter.result(), emitter.operand(0), llvm::APFloat(scale), multiplier,
      rshift, op.getKernel(), op.getStrides(), padList);
  return success();
}

void weft::emit::registerPool(EmitTable &table) {
  table.local["tpu.pool"] = emitOp;
}
