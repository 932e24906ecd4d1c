//===- Constant.cpp - top ops of the Constant family --------------------------------===//

#include "dialects/top/Constant.h"

using namespace mlir;
using namespace weft::top;

void TopDialect::registerConstant() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Constant.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Constant.cpp.inc"
