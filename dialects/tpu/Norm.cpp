//===- Norm.cpp - tpu ops of the Norm family --------------------------------===//

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
