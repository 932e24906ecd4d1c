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

/// One command: `dst` from the windows of `src`, elements of averages times
/// `scale`.
static void callPool(PoolOp op, RecipeBuilder &r, const Tile &dst,
                     const Tile &src, llvm::ArrayRef<int64_t> kernel,
                     llvm::ArrayRef<int64_t> strides, const Pads &around,
                     double scale) {
  int64_t pads[] = {around.top, around.bottom, around.left, around.right};
  bool isMax = op.getKind() == PoolKind::Max;
  bool isFloat = !isQuantized(op.getInput());
  llvm::SmallVector<Given, 7> arguments{{"dst", dst},
                                        {"src", src},
                                        {"kernel", kernel},
                                        {"stride", strides},
                                        {"pad", llvm::ArrayRef<int64_t>(pads)}};
  if (!isMax && isFloat)
    arguments.push_back({"scale", scale});
  if (!isMax && !isFloat)
    arguments.append({{"scale", int64_t(op.getMultiplier().value_or(1))},
                      {"rshift", int64_t(op.getRshift().value_or(0))}});
  r.call(isMax ? (isFloat ? "tiu.fpool_max" : "tiu.pool_max")
               : (isFloat ? "tiu.fpool_avg" : "tiu.pool_avg"),
         arguments);
}

static double scaleOf(PoolOp op) {
  return asFloat(1.0 / (static_cast<double>(op.getKernel()[0]) *
                        static_cast<double>(op.getKernel()[1])));
}

/// Columns first, then rows of what is left: kh + kw steps of the unit in place
/// of kh * kw, all its elements at work where the window is the whole image,
/// and no command with two strides, which take three times as long.
static void buildColumnsFirst(mlir::Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<PoolOp>(operation);
  Tile result = r.result(), source = r.operand(0);
  Dims shape = result.shape;
  shape[kAxisW] = source.shape[kAxisW];
  Tile columns = r.scratch("columns", shape, result.type);
  Pads around = op.inputNeed(0, r.box).pads, vertical = around,
       horizontal = around;
  vertical.left = vertical.right = 0;
  horizontal.top = horizontal.bottom = 0;
  callPool(op, r, columns, source, {op.getKernel()[0], 1},
           {op.getStrides()[0], 1}, vertical, scaleOf(op));
  callPool(op, r, result, columns, {1, op.getKernel()[1]},
           {1, op.getStrides()[1]}, horizontal, 1);
}

static void buildWindow(mlir::Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<PoolOp>(operation);
  callPool(op, r, r.result(), r.operand(0), op.getKernel(), op.getStrides(),
           op.inputNeed(0, r.box).pads, scaleOf(op));
}

/// Means of codes are rounded by a shift, once.
static bool canTakeColumnsFirst(mlir::Operation *operation) {
  auto op = llvm::cast<PoolOp>(operation);
  return op.getKernel()[0] > 1 && op.getKernel()[1] > 1 &&
         (op.getKind() == PoolKind::Max || !isQuantized(op.getInput()));
}

bool PoolOp::runsInAnyLane() { return true; }

llvm::ArrayRef<Alternative> PoolOp::recipes() {
  static const Alternative list[] = {{"window", buildWindow},
                                     {"columns_first", buildColumnsFirst,
                                      canTakeColumnsFirst,
                                      /*addsInAnotherOrder=*/true}};
  return list;
}
