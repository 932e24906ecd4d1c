//===- Pool.cpp - recipes of the Pool family ------------------------------===//

#include "dialects/tpu/Pool.h"

#include "dialects/tpu/recipe/Recipe.h"

using namespace weft;
using namespace weft::tpu;

bool PoolOp::hasRecipe() { return true; }

void PoolOp::buildRecipe(RecipeBuilder &r) {
  Pads around = inputNeed(0, r.box).pads;
  int64_t pads[] = {around.top, around.bottom, around.left, around.right};
  bool isMax = getKind() == PoolKind::Max;
  bool isFloat = !isQuantized(getInput());
  double window =
      static_cast<double>(getKernel()[0]) * static_cast<double>(getKernel()[1]);
  llvm::SmallVector<Given, 7> arguments{{"dst", r.result()},
                                        {"src", r.operand(0)},
                                        {"kernel", getKernel()},
                                        {"stride", getStrides()},
                                        {"pad", llvm::ArrayRef<int64_t>(pads)}};
  if (!isMax && isFloat)
    arguments.push_back({"scale", asFloat(1.0 / window)});
  if (!isMax && !isFloat)
    arguments.append({{"scale", int64_t(getMultiplier().value_or(1))},
                      {"rshift", int64_t(getRshift().value_or(0))}});
  r.call(isMax ? (isFloat ? "tiu.fpool_max" : "tiu.pool_max")
               : (isFloat ? "tiu.fpool_avg" : "tiu.pool_avg"),
         arguments);
}
