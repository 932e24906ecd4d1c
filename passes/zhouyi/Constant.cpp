//===- Constant.cpp - the Constant family on vectors ----------------------===//

#include "dialects/tpu/Constant.h"

#include "dialects/tpu/Conv.h"
#include "dialects/tpu/MatMul.h"
#include "passes/zhouyi/Emitter.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

/// True if the op of `use` puts the constant into an order of its own.
static bool laysOut(OpOperand &use) {
  if (llvm::isa<tpu::ConvOp>(use.getOwner()))
    return use.getOperandNumber() > 0;
  auto product = dyn_cast<tpu::MatMulOp>(use.getOwner());
  return product && use.get() != product.getLhs();
}

static LogicalResult emitWeight(tpu::WeightOp op, Emitter &emitter) {
  if (llvm::all_of(op->getUses(), laysOut))
    return success();
  std::optional<std::vector<char>> raw = tpu::constantBytes(op.getValue());
  if (!raw)
    return op.emitError("the bytes of a constant are missing");
  emitter.place(op.getResult(),
                emitter.weight(emitter.stored(op.getResult()),
                               ArrayRef<char>(*raw), "constant"));
  return success();
}

void zhouyi::addConstant(EmitTable &table) {
  table.add<tpu::WeightOp>(emitWeight);
}
