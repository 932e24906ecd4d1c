//===- Pool.cpp - emission of the Pool family -----------------------------===//

#include "dialects/tpu/Pool.h"

#include "codegen/emit/Emit.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using tpu::PoolOp;

static LogicalResult emitOp(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<PoolOp>(operation);
  tpu::Pads pads = emitter.pads(0);
  SmallVector<int64_t, 4> padList{pads.top, pads.bottom, pads.left, pads.right};
  bool isMax = op.getKind() == tpu::PoolKind::Max;
  bool isFloat = !tpu::isQuantized(op.getInput());
  double window = static_cast<double>(op.getKernel()[0]) *
                  static_cast<double>(op.getKernel()[1]);
  double scale = asFloat(1.0 / window);
  SmallVector<Named> arguments{{"dst", emitter.result()},
                               {"src", emitter.operand(0)},
                               {"kernel", op.getKernel()},
                               {"stride", op.getStrides()},
                               {"pad", ArrayRef<int64_t>(padList)}};
  if (!isMax && isFloat)
    arguments.push_back({"scale", scale});
  if (!isMax && !isFloat)
    arguments.append({{"scale", int64_t(op.getMultiplier().value_or(1))},
                      {"rshift", int64_t(op.getRshift().value_or(0))}});
  emitter.call(isMax ? (isFloat ? "tiu.fpool_max" : "tiu.pool_max")
                     : (isFloat ? "tiu.fpool_avg" : "tiu.pool_avg"),
               arguments);
  return success();
}

void weft::emit::registerPool(EmitTable &table) {
  table.local["tpu.pool"] = emitOp;
}
