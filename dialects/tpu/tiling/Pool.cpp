//===- Pool.cpp - tiling of the Pool family -------------------------------===//

#include "dialects/tpu/Pool.h"

#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/tiling/Window.h"

using namespace weft;
using namespace weft::tpu;

InputNeed PoolOp::inputNeed(unsigned, const Box &result) {
  return windowNeed(dimsOf(getInput()), dimsOf(getOutput()), result,
                    getKernel(), getStrides(), {1, 1}, getPads());
}
