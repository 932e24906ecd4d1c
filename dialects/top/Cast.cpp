//===- Cast.cpp - top ops of the Cast family
//--------------------------------===//

#include "dialects/top/Cast.h"

#include "runtime/numeric/SmallFloats.h"
#include "runtime/numeric/TensorValues.h"

using namespace mlir;
using namespace weft::top;
using namespace weft;
using weft::numeric::HostTensor;

#define WEFT_REGISTER TopDialect::registerCast
#define WEFT_OPS "dialects/top/Cast.cpp.inc"
#include "dialects/OpDefinitions.inc"

LogicalResult CastOp::verify() {
  RankedTensorType input = getInput().getType(), output = getType();
  if (input.getShape() != output.getShape()) // (C1)
    return emitOpError() << "of shape " << shapeText(input.getShape())
                         << " into shape " << shapeText(output.getShape())
                         << "; a cast keeps the shape";
  if (!numeric::parseScaleRounding(getRoundMode())) // (C2)
    return emitOpError() << "round_mode is '" << getRoundMode()
                         << "', must be up, down or nearest";
  return success();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  return {};
}

/// Bits that an element has in ONNX's memory.
static unsigned bitsOf(Type element) {
  if (element.isInteger(1))
    return 8;
  if (element.isIntOrFloat())
    return element.getIntOrFloatBitWidth();
  return *hostElementType(element) == numeric::ElementType::F4E2M1 ? 4 : 8;
}

LogicalResult BitCastOp::verify() {
  RankedTensorType input = getInput().getType(), output = getType();
  if (input.getShape() != output.getShape()) // (C1)
    return emitOpError() << "of shape " << shapeText(input.getShape())
                         << " into shape " << shapeText(output.getShape())
                         << "; a bit cast keeps the shape";
  unsigned from = bitsOf(input.getElementType());
  unsigned to = bitsOf(output.getElementType());
  if (from != to) // (C2)
    return emitOpError() << "from " << from << " to " << to
                         << " bits; a bit cast keeps the width";
  return success();
}
