//===- Group.cpp - evaluation of a layer group ----------------------------===//

#include "dialects/tpu/Group.h"

#include "dialects/tpu/evaluate/Numbers.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// The body on whole tensors: slices change no number.
LogicalResult GroupOp::evaluate(Operands operands, Results &results) {
  Block &block = getBody().front();
  ValueTensors values;
  for (auto [argument, operand] :
       llvm::zip_equal(block.getArguments(), operands))
    values[argument] = *operand;
  if (failed(evaluateBlock(block, values)))
    return failure();
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(values.lookup(value));
  return success();
}
