//===- Move.cpp - top ops of the Move family --------------------------------===//

#include "dialects/top/Move.h"

using namespace mlir;
using namespace weft::top;

void TopDialect::registerMove() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Move.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Move.cpp.inc"
