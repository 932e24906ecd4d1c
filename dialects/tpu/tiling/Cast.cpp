//===- Cast.cpp - tiling of the Cast family -------------------------------===//

#include "dialects/tpu/Cast.h"

#include "dialects/tpu/GroupPlan.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

InputNeed CastOp::inputNeed(unsigned, const Box &result) {
  return {result, {}};
}

// Only dequantization starts with a command that has no strides (DQ).
bool CastOp::readsStrided(unsigned) {
  return !isQuantized(getInput()) || isQuantized(getOutput());
}

bool CastOp::hasRecipe() { return true; }

unsigned CastOp::commandCount() { return 2; }
