//===- MatMul.cpp - tpu ops of the MatMul family ---===//

#include "dialects/tpu/MatMul.h"

using namespace mlir;
using namespace weft::tpu;

void TpuDialect::registerMatMul() {
  addOperations<
#define GET_OP_LIST
#include "dialects/tpu/MatMul.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/tpu/MatMul.cpp.inc"

LogicalResult MatMulOp::verify() {
  auto lhs = getLhs().getType(), rhs = getRhs().getType(),
       output = getOutput().getType();
  bool batch = true;
  for (int i = 0; i < 2; ++i)
    batch = batch &&
            (rhs.getDimSize(i) == lhs.getDimSize(i) || rhs.getDimSize(i) == 1);
  if (lhs.getDimSize(3) != rhs.getDimSize(2) || !batch) // (C1)
    return emitOpError("lhs columns must equal rhs rows, and the first two "
                       "axes of rhs those of lhs or 1");
  int64_t expected[] = {lhs.getDimSize(0), lhs.getDimSize(1), lhs.getDimSize(2),
                        rhs.getDimSize(3)};
  if (output.getShape() != ArrayRef<int64_t>(expected)) // (C2)
    return emitOpError("result must be ")
           << expected[0] << "x" << expected[1] << "x" << expected[2] << "x"
           << expected[3];
  if (lhs.getElementType() != rhs.getElementType() ||
      lhs.getElementType() != output.getElementType()) // (C3)
    return emitOpError("operands and result must have one element type");
  return success();
}
