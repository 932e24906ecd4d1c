//===- Host.cpp - top ops of the Host family ------------------------------===//

#include "dialects/top/Host.h"

using namespace mlir;
using namespace weft::top;
using namespace weft;

void TopDialect::registerHost() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Host.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Host.cpp.inc"

LogicalResult HostOp::verify() {
  if (failed(verifyHostCall(*this, getKernel(), getInputs().size(),
                            getAbsent()))) // (C1), (C2)
    return failure();
  if (getOutputs().empty())
    return emitOpError() << "has no result; it needs one";
  return success();
}
