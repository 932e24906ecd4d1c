//===- Norm.cpp - tpu ops of the Norm family ---===//

#include "dialects/tpu/Norm.h"

using namespace mlir;
using namespace weft::tpu;

#define WEFT_REGISTER TpuDialect::registerNorm
#define WEFT_OPS "dialects/tpu/Norm.cpp.inc"
#include "dialects/OpDefinitions.inc"

LogicalResult ScaleOp::verify() {
  int64_t perChannel[] = {1, getInput().getType().getDimSize(1), 1, 1};
  if (getScale().getType().getShape() != ArrayRef<int64_t>(perChannel) ||
      elementOf(getScale()) != elementOf(getInput())) // (C1)
    return emitOpError("scale and bias must be 1x")
           << perChannel[1] << "x1x1 of the input's element type";
  return success();
}
