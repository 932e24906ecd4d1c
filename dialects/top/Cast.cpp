//===- Cast.cpp - top ops of the Cast family
//--------------------------------===//

#include "dialects/top/Cast.h"

using namespace mlir;
using namespace weft::top;

void TopDialect::registerCast() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Cast.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Cast.cpp.inc"

LogicalResult CastOp::verify() {
  RankedTensorType input = getInput().getType(), output = getType();
  if (input.getShape() != output.getShape()) // (C1)
    return emitOpError() << "of shape " << shapeText(input.getShape())
                         << " into shape " << shapeText(output.getShape())
                         << "; a cast keeps the shape";
  return success();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  return {};
}
