//===- Select.cpp - emission of the Select family -------------------------===//

#include "dialects/tpu/Select.h"

#include "codegen/emit/Emit.h"
#include "dialects/tpu/GroupPlan.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;

/// The number `constant` beside a tensor of element type `element`.
static Argument scalar(Type element, FloatAttr constant) {
  double value = constant.getValueAsDouble();
  return llvm::isa<FloatType>(element) ? Argument(asFloat(value))
                                       : Argument(static_cast<int64_t>(value));
}

static LogicalResult emitCompare(Operation *operation, OpEmitter &emitter) {
  auto op = llvm::cast<tpu::CompareOp>(operation);
  Argument lhs = emitter.operand(0);
  Argument rhs =
      op.getRhs() ? Argument(emitter.operand(1))
                  : scalar(tpu::elementOf(op.getLhs()), op.getConstantAttr());
  // The machine counts a NaN as less than any number, but as greater than none:
  // a < b is b > a.
  bool isEqual = op.getRelation() == tpu::Relation::Equal;
  if (op.getRelation() == tpu::Relation::Less)
    std::swap(lhs, rhs);
  emitter.binary(isEqual ? "tiu.eq" : "tiu.gt", emitter.result(), lhs, rhs,
                 Named{"true_val", 1});
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
    emitter.copy(spread, source);
    return spread;
  };
  Type element = tpu::elementOf(op.getOutput());
  Value condition = whole(op.getCondition());
  Argument onTrue = op.getOnTrue() ? Argument(whole(op.getOnTrue()))
                                   : scalar(element, op.getTrueConstantAttr());
  Argument onFalse = op.getOnFalse()
                         ? Argument(whole(op.getOnFalse()))
                         : scalar(element, op.getFalseConstantAttr());
  emitter.call("tiu.eq_select", {{"dst", emitter.result()},
                                 {"src0", condition},
                                 {"src1", 0},
                                 {"src2", onFalse},
                                 {"src3", onTrue}});
  return success();
}

void weft::emit::registerSelect(EmitTable &table) {
  table.local["tpu.compare"] = emitCompare;
  table.local["tpu.select"] = emitSelect;
}
