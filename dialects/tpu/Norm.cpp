//===- Norm.cpp - tpu ops of the Norm family ---===//

#include "dialects/tpu/Norm.h"

using namespace mlir;
using namespace weft::tpu;

void TpuDialect::registerNorm() {
  addOperations<
#define GET_OP_LIST
#include "dialects/tpu/Norm.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/tpu/Norm.cpp.inc"

LogicalResult ScaleOp::verify() {
  int64_t perChannel[] = {1, getInput().getType().getDimSize(1), 1, 1};
  if (getScale().getType().getShape() != ArrayRef<int64_t>(perChannel) ||
      elementOf(getScale()) != elementOf(getInput())) // (C1)
    return emitOpError("scale and bias must be 1x")
           << perChannel[1] << "x1x1 of the input's element type";
  return success();
}
