//===- Cast.cpp - changes of element type to tpu --------------------------===//

#include "dialects/top/Cast.h"

#include "passes/quantize/Lowering.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

static LogicalResult lowerCast(top::CastOp op, Lowering &lowering) {
  Type element =
      cast<RankedTensorType>(op.getOutput().getType()).getElementType();
  // In a 16-bit program the model's own narrow types add nothing: values are
  // that narrow already.
  if (lowering.choices.precision != Precision::F32)
    element = lowering.computeType();
  lowering.define(op.getOutput(), lowering.inFloat(op.getInput(), element));
  return success();
}

void weft::quantize::registerCastLowering(LoweringTable &table) {
  table.add<top::CastOp>(lowerCast);
}
