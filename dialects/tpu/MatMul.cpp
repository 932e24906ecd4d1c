//===- MatMul.cpp - tpu ops of the MatMul family --------------------------------===//

#include "dialects/tpu/MatMul.h"

using namespace mlir;
using namespace weft::tpu;

void TpuDialect::registerMatMul() {
  addOperations<
#define GET_OP_LIST
#include "dialects/tpu/MatMul.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/tpu/MatMul.cpp.inc"
