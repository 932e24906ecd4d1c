//===- Conv.cpp - top ops of the Conv family --------------------------------===//

#include "dialects/top/Conv.h"

using namespace mlir;
using namespace weft::top;

void TopDialect::registerConv() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Conv.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Conv.cpp.inc"
