//===- Select.cpp - recipes of the Select family --------------------------===//

#include "dialects/tpu/Select.h"

#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/recipe/Recipe.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

bool CompareOp::readsStrided(unsigned) { return true; }

InputNeed CompareOp::inputNeed(unsigned operand, const Box &result) {
  return broadcastNeed(getOperand(operand), result);
}

InputNeed SelectOp::inputNeed(unsigned operand, const Box &result) {
  return broadcastNeed(getOperand(operand), result);
}

/// The number `constant` beside a tensor of element type `element`.
static RecipeArgument scalarOf(Type element, FloatAttr constant) {
  double value = constant.getValueAsDouble();
  return llvm::isa<FloatType>(element)
             ? RecipeArgument(asFloat(value))
             : RecipeArgument(static_cast<int64_t>(value));
}

static void buildCompare(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<CompareOp>(operation);
  RecipeArgument lhs = r.operand(0);
  RecipeArgument rhs =
      op.getRhs() ? RecipeArgument(r.operand(1))
                  : scalarOf(elementOf(op.getLhs()), op.getConstantAttr());
  // The machine counts a NaN as less than any number, but as greater than none:
  // a < b is b > a.
  bool isEqual = op.getRelation() == Relation::Equal;
  if (op.getRelation() == Relation::Less)
    std::swap(lhs, rhs);
  r.binary(isEqual ? "tiu.eq" : "tiu.gt", r.result(), lhs, rhs,
           Given{"true_val", 1});
}

bool CompareOp::runsInAnyLane() { return true; }

ArrayRef<Alternative> CompareOp::recipes() {
  static const Alternative list[] = {{"compare", buildCompare}};
  return list;
}

/// The command reads whole aligned tensors: a side that repeats is spread out
/// first.
static void buildSelect(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<SelectOp>(operation);
  unsigned number = 0;
  auto whole = [&](Value tensor) {
    Tile source = r.operand(number++);
    if (dimsOf(tensor) == dimsOf(op.getOutput()))
      return source;
    Tile spread = r.scratch("spread", r.result().shape, source.type);
    r.copy(spread, source);
    return spread;
  };
  Type element = elementOf(op.getOutput());
  Tile condition = whole(op.getCondition());
  RecipeArgument onTrue = op.getOnTrue()
                              ? RecipeArgument(whole(op.getOnTrue()))
                              : scalarOf(element, op.getTrueConstantAttr());
  RecipeArgument onFalse = op.getOnFalse()
                               ? RecipeArgument(whole(op.getOnFalse()))
                               : scalarOf(element, op.getFalseConstantAttr());
  r.call("tiu.eq_select", {{"dst", r.result()},
                           {"src0", condition},
                           {"src1", 0},
                           {"src2", onFalse},
                           {"src3", onTrue}});
}

bool SelectOp::runsInAnyLane() { return true; }

ArrayRef<Alternative> SelectOp::recipes() {
  static const Alternative list[] = {{"select", buildSelect}};
  return list;
}
