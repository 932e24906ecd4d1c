//===- Move.cpp - tpu ops of the Move family --------------------------------===//

#include "dialects/tpu/Move.h"

using namespace mlir;
using namespace weft::tpu;

void TpuDialect::registerMove() {
  addOperations<
#define GET_OP_LIST
#include "dialects/tpu/Move.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/tpu/Move.cpp.inc"
