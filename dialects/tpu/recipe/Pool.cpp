//===- Pool.cpp - recipes of the Pool family ------------------------------===//

#include "dialects/tpu/Pool.h"

#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/recipe/Recipe.h"
#include "dialects/tpu/recipe/Window.h"

using namespace weft;
using namespace weft::tpu;

InputNeed PoolOp::inputNeed(unsigned, const Box &result) {
  return windowNeed(dimsOf(getInput()), dimsOf(getOutput()), result,
                    getKernel(), getStrides(), {1, 1}, getPads());
}

static void buildPool(mlir::Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<PoolOp>(operation);
  Pads around = op.inputNeed(0, r.box).pads;
  int64_t pads[] = {around.top, around.bottom, around.left, around.right};
  bool isMax = op.getKind() == PoolKind::Max;
  bool isFloat = !isQuantized(op.getInput());
  double window = static_cast<double>(op.getKernel()[0]) *
                  static_cast<double>(op.getKernel()[1]);
  llvm::SmallVector<Given, 7> arguments{{"dst", r.result()},
                                        {"src", r.operand(0)},
                                        {"kernel", op.getKernel()},
                                        {"stride", op.getStrides()},
                                        {"pad", llvm::ArrayRef<int64_t>(pads)}};
  if (!isMax && isFloat)
    arguments.push_back({"scale", asFloat(1.0 / window)});
  if (!isMax && !isFloat)
    arguments.append({{"scale", int64_t(op.getMultiplier().value_or(1))},
                      {"rshift", int64_t(op.getRshift().value_or(0))}});
  r.call(isMax ? (isFloat ? "tiu.fpool_max" : "tiu.pool_max")
               : (isFloat ? "tiu.fpool_avg" : "tiu.pool_avg"),
         arguments);
}

bool PoolOp::runsInAnyLane() { return true; }

llvm::ArrayRef<Alternative> PoolOp::recipes() {
  static const Alternative list[] = {{"window", buildPool}};
  return list;
}
