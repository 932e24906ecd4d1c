//===- Softmax.cpp - top ops of the Softmax family --------------------------------===//

#include "dialects/top/Softmax.h"

using namespace mlir;
using namespace weft::top;

void TopDialect::registerSoftmax() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Softmax.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Softmax.cpp.inc"
