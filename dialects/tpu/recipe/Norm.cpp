//===- Norm.cpp - recipes of the Norm family ------------------------------===//

#include "dialects/tpu/Norm.h"

#include "dialects/tpu/recipe/Bounds.h"
#include "dialects/tpu/recipe/Recipe.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

bool ScaleOp::isPackedOperand(unsigned operand) { return operand > 0; }

static void buildScale(Operation *operation, RecipeBuilder &r) {
  auto op = llvm::cast<ScaleOp>(operation);
  Tile result = r.result(), scale = r.numberPerChannel("scale", 1),
       bias = r.numberPerChannel("bias", 2);
  Tile scaled = op.getRelu() ? r.apart("scaled", result) : result;
  r.call("tiu.fscale", {{"dst", scaled},
                        {"src", r.operand(0)},
                        {"scale", scale},
                        {"bias", bias}});
  if (op.getRelu())
    atLeast(r, result, scaled, 0.0);
}

bool ScaleOp::runsInAnyLane() { return true; }

ArrayRef<Alternative> ScaleOp::recipes() {
  static const Alternative list[] = {{"scale", buildScale}};
  return list;
}
