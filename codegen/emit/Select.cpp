//===- Select.cpp - emission of the Select family -------------------------===//

#include "dialects/tpu/Select.h"

#include "codegen/emit/Emit.h"
#include "dialects/ppl/TiuArith.h"
#include "dialects/tpu/GroupPlan.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;

/// The number `constant` beside a tensor of element type `element`.
static Value scalar(OpEmitter &emitter, Type element, FloatAttr constant) {
  double value = constant.getValueAsDouble();
  return llvm::isa<FloatType>(element)
             ? emitter.f32(value)
             : emitter.i32(static_cast<int64_t>(value));
}

static LogicalResult emitCompare(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<tpu::CompareOp>(operation);
  Value lhs = emitter.operand(0);
  Value rhs = op.getRhs() ? emitter.operand(1)
                          : scalar(emitter, tpu::elementOf(op.getLhs()),
                                   op.getConstantAttr());
  // The machine counts a NaN as less than any number, but as greater than none:
  // a < b is b > a.
  bool isEqual = op.getRelation() == tpu::Relation::Equal;
  if (op.getRelation() == tpu::Relation::Less)
    std::swap(lhs, rhs);
  emitter.builder.create<ppl::CompareOp>(
      emitter.loc(), isEqual ? ppl::Relation::Equal : ppl::Relation::Greater,
      emitter.result(), lhs, rhs, emitter.i32(1));
  return success();
}

static LogicalResult emitSelect(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<tpu::SelectOp>(operation);
  unsigned scratch = 0, number = 0;
  auto whole = [&](Value tensor) {
    Value source = emitter.operand(number++);
    if (tpu::dimsOf(tensor) == tpu::dimsOf(op.getOutput()))
      return source;
    Value spread =
        emitter.scratch(scratch++, machineType(tpu::elementOf(tensor)));
    emitCopy(emitter, spread, source);
    return spread;
  };
  Type element = tpu::elementOf(op.getOutput());
  Value condition = whole(op.getCondition());
  Value onTrue = op.getOnTrue()
                     ? whole(op.getOnTrue())
                     : scalar(emitter, element, op.getTrueConstantAttr());
  Value onFalse = op.getOnFalse()
                      ? whole(op.getOnFalse())
                      : scalar(emitter, element, op.getFalseConstantAttr());
  emitter.builder.create<ppl::SelectOp>(emitter.loc(), ppl::Relation::Equal,
                                        emitter.result(), condition,
                                        emitter.i32(0), onFalse, onTrue);
  return success();
}

void weft::emit::registerSelect(EmitTable &table) {
  table.local["tpu.compare"] = emitCompare;
  table.local["tpu.select"] = emitSelect;
}
