//===- Cast.cpp - top ops of the Cast family --------------------------------===//

#include "dialects/top/Cast.h"

using namespace mlir;
using namespace weft::top;

void TopDialect::registerCast() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Cast.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Cast.cpp.inc"
