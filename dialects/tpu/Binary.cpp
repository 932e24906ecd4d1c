//===- Binary.cpp - tpu ops of the Binary family --------------------------------===//

#include "dialects/tpu/Binary.h"

using namespace mlir;
using namespace weft::tpu;

void TpuDialect::registerBinary() {
  addOperations<
#define GET_OP_LIST
#include "dialects/tpu/Binary.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/tpu/Binary.cpp.inc"
