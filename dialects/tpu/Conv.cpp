//===- Conv.cpp - tpu ops of the Conv family --------------------------------===//

#include "dialects/tpu/Conv.h"

using namespace mlir;
using namespace weft::tpu;

void TpuDialect::registerConv() {
  addOperations<
#define GET_OP_LIST
#include "dialects/tpu/Conv.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/tpu/Conv.cpp.inc"
