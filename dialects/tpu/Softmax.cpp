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
  return success();
}
