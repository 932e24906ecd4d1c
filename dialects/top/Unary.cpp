//===- Unary.cpp - top ops of the Unary family --------------------------------===//

#include "dialects/top/Unary.h"

using namespace mlir;
using namespace weft::top;

void TopDialect::registerUnary() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Unary.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Unary.cpp.inc"
