//===- Softmax.cpp - tpu ops of the Softmax family ---===//

#include "dialects/tpu/Softmax.h"

using namespace mlir;
using namespace weft::tpu;

void TpuDialect::registerSoftmax() {
  addOperations<
#define GET_OP_LIST
#include "dialects/tpu/Softmax.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/tpu/Softmax.cpp.inc"

LogicalResult SoftmaxOp::verify() {
  if (getAxis() == kAxisC) // (C1)
    return emitOpError("axis is 1, must be 0, 2 or 3: channels lie in "
                       "different lanes");
  return success();
}
