//===- Norm.cpp - top ops of the Norm family --------------------------------===//

#include "dialects/top/Norm.h"

using namespace mlir;
using namespace weft::top;

void TopDialect::registerNorm() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Norm.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Norm.cpp.inc"
