//===- Cast.cpp - changes of element type to tpu --------------------------===//

#include "dialects/top/Cast.h"

#include "passes/quantize/Lowering.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

static LogicalResult lowerCast(top::CastOp op, Lowering &lowering) {
  Type element = storedElement(
      cast<RankedTensorType>(op.getOutput().getType()).getElementType());
  Value input = lowering.firstForm(op.getInput());
  // In a 16-bit program the model's own narrow types add nothing: values are
  // that narrow already. An integer's float is the machine's f32, which its
  // readers narrow as they need it.
  if (isa<FloatType>(element) && lowering.choices.precision != Precision::F32)
    element = isa<IntegerType>(tpu::elementOf(input)) ? lowering.f32()
                                                      : lowering.computeType();
  lowering.define(op.getOutput(), lowering.inFloat(op.getInput(), element));
  return success();
}

void weft::quantize::registerCastLowering(LoweringTable &table) {
  table.add<top::CastOp>(lowerCast);
}
