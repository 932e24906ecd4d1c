//===- Constant.cpp - tpu ops of the Constant family
//--------------------------------===//

#include "dialects/tpu/Constant.h"

using namespace mlir;
using namespace weft::tpu;

void TpuDialect::registerConstant() {
  addOperations<
#define GET_OP_LIST
#include "dialects/tpu/Constant.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/tpu/Constant.cpp.inc"

OpFoldResult WeightOp::fold(FoldAdaptor) { return getValue(); }
