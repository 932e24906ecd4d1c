//===- Pool.cpp - top ops of the Pool family --------------------------------===//

#include "dialects/top/Pool.h"

using namespace mlir;
using namespace weft::top;

void TopDialect::registerPool() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Pool.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Pool.cpp.inc"
