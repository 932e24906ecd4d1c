//===- MachineRefusal.cpp - what the machine cannot compute ---------------===//

#include "passes/zhouyi/MachineRefusal.h"

#include "dialects/tpu/Cast.h"
#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Host.h"
#include "dialects/tpu/Move.h"
#include "passes/zhouyi/Emitter.h"

using namespace mlir;
using namespace weft;
using namespace weft::zhouyi;

static EmitTable allRows() {
  EmitTable table;
  addBinary(table);
  addCast(table);
  addConstant(table);
  addConv(table);
  addHost(table);
  addMatMul(table);
  addMove(table);
  addNorm(table);
  addPool(table);
  addReduce(table);
  addResize(table);
  addSelect(table);
  addUnary(table);
  return table;
}

const EmitTable &zhouyi::emitTable() {
  static const EmitTable table = allRows();
  return table;
}

/// bf16 is moved and widened to f32 and back, but not computed with.
static bool takesBf16(Operation *op) {
  if (auto cast = dyn_cast<tpu::CastOp>(op))
    return !tpu::isQuantized(cast.getOutput()) &&
           llvm::isa<FloatType>(tpu::elementOf(cast.getOutput()));
  return llvm::isa<tpu::ReshapeOp, tpu::PermuteOp, tpu::SliceOp, tpu::ConcatOp,
                   tpu::ArrangeOp, tpu::PadOp, tpu::WeightOp, tpu::HostOp,
                   tpu::ToHostOp, tpu::FromHostOp, tpu::HostConstantOp>(op);
}

std::optional<Refusal> zhouyi::refusalOf(Operation *op) {
  auto isBf16 = [](Value value) { return tpu::elementOf(value).isBF16(); };
  if (!takesBf16(op) && (llvm::any_of(op->getOperands(), isBf16) ||
                         llvm::any_of(op->getResults(), isBf16)))
    return Refusal(op, "bf16, which the machine's functions do not compute",
                   "");
  auto hasZeroPoint = [](Value value) {
    return tpu::zeroPointOf(tpu::elementOf(value)) != 0;
  };
  if (llvm::any_of(op->getOperands(), hasZeroPoint) ||
      llvm::any_of(op->getResults(), hasZeroPoint))
    return Refusal(op,
                   "codes with a zero point, which the machine's functions do "
                   "not take",
                   "convert with --asymmetric off");
  const EmitTable::Row *row = emitTable().find(op);
  if (!row)
    return Refusal(op,
                   inWords("the machine's functions cannot compute '",
                           op->getName().stripDialect(), "'"),
                   "");
  return row->refuse(op);
}
