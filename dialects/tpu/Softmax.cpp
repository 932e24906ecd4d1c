//===- Softmax.cpp - tpu ops of the Softmax family ---===//

#include "dialects/tpu/Softmax.h"

using namespace mlir;
using namespace weft::tpu;

#define WEFT_REGISTER TpuDialect::registerSoftmax
#define WEFT_OPS "dialects/tpu/Softmax.cpp.inc"
#include "dialects/OpDefinitions.inc"

LogicalResult SoftmaxOp::verify() {
  if (getAxis() == kAxisC) // (C1)
    return emitOpError("axis is 1, must be 0, 2 or 3: channels lie in "
                       "different lanes");
  Type element = elementOf(getInput());
  if ((getShortSteps() && !element.isF32()) ||
      (getNarrowSteps() && !element.isF16())) // (C2)
    return emitOpError("short_steps is for f32, narrow_steps for f16");
  Dims shape = dimsOf(getInput());
  if (getOverLanes() && (getAxis() != kAxisW || shape[kAxisH] != 1)) // (C3)
    return emitOpError("over_lanes is for axis 3 of an input with one row");
  return success();
}
