//===- MatMul.cpp - top ops of the MatMul family --------------------------------===//

#include "dialects/top/MatMul.h"

using namespace mlir;
using namespace weft::top;

void TopDialect::registerMatMul() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/MatMul.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/MatMul.cpp.inc"
