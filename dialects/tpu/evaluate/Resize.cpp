//===- Resize.cpp - evaluation of the Resize family -----------------------===//

#include "dialects/tpu/Resize.h"

#include "dialects/Interleave.h"
#include "dialects/tpu/evaluate/Numbers.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

LogicalResult InterleaveOp::evaluate(Operands operands, Results &results) {
  interleave(results.emplace_back(*makeHostTensor(getOutput().getType())),
             operands, getFactors());
  return success();
}
