//===- Cast.cpp - changes of element type to tpu --------------------------===//

#include "dialects/top/Cast.h"

#include "passes/quantize/Lowering.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

static LogicalResult lowerCast(top::CastOp op, Lowering &lowering) {
  Type element = storedElement(
      cast<RankedTensorType>(op.getOutput().getType()).getElementType());
  Type from = topElement(op.getInput());
  if (isa<IntegerType>(element) &&
      (isa<IntegerType>(from) || topElement(op.getOutput()).isInteger(1)))
    return unsupported(op) << "a cast of " << from << " to "
                           << topElement(op.getOutput())
                           << "; cast between integers and floats";
  // In a 16-bit program the model's own narrow types add nothing: values are
  // that narrow already. An integer's float is the machine's f32, which its
  // readers narrow as they need it.
  if (isa<FloatType>(element) && lowering.choices.precision != Precision::F32)
    element = isa<IntegerType>(from) ? lowering.f32() : lowering.computeType();
  FailureOr<Value> form = lowering.inOwnView(op.getInput(), element, op);
  if (failed(form))
    return failure();
  lowering.define(op.getOutput(), *form);
  return success();
}

void weft::quantize::registerCastLowering(LoweringTable &table) {
  table.add<top::CastOp>(lowerCast);
}
