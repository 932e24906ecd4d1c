//===- Unary.cpp - tpu ops of the Unary family --------------------------------===//

#include "dialects/tpu/Unary.h"

using namespace mlir;
using namespace weft::tpu;

void TpuDialect::registerUnary() {
  addOperations<
#define GET_OP_LIST
#include "dialects/tpu/Unary.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/tpu/Unary.cpp.inc"
