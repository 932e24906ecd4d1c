//===- Binary.cpp - top ops of the Binary family --------------------------------===//

#include "dialects/top/Binary.h"

using namespace mlir;
using namespace weft::top;

void TopDialect::registerBinary() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Binary.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Binary.cpp.inc"
