//===- Pool.cpp - tpu ops of the Pool family --------------------------------===//

#include "dialects/tpu/Pool.h"

using namespace mlir;
using namespace weft::tpu;

void TpuDialect::registerPool() {
  addOperations<
#define GET_OP_LIST
#include "dialects/tpu/Pool.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/tpu/Pool.cpp.inc"
