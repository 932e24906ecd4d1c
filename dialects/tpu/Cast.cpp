//===- Cast.cpp - tpu ops of the Cast family --------------------------------===//

#include "dialects/tpu/Cast.h"

using namespace mlir;
using namespace weft::tpu;

void TpuDialect::registerCast() {
  addOperations<
#define GET_OP_LIST
#include "dialects/tpu/Cast.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/tpu/Cast.cpp.inc"
