//===- MatMul.cpp - tpu ops of the MatMul family ---===//

#include "dialects/tpu/MatMul.h"

using namespace mlir;
using namespace weft::tpu;

#define WEFT_REGISTER TpuDialect::registerMatMul
#define WEFT_OPS "dialects/tpu/MatMul.cpp.inc"
#include "dialects/OpDefinitions.inc"

LogicalResult MatMulOp::verify() {
  auto lhs = getLhs().getType(), rhs = getRhs().getType(),
       output = getOutput().getType();
  SmallVector<int64_t, 4> expected;
  bool batch = true;
  for (int i = 0; i < 2; ++i) {
    int64_t left = lhs.getDimSize(i), right = rhs.getDimSize(i);
    batch = batch && (left == right || left == 1 || right == 1);
    expected.push_back(std::max(left, right));
  }
  if (lhs.getDimSize(3) != rhs.getDimSize(2) || !batch) // (C1)
    return emitOpError("lhs columns must equal rhs rows, and the first two "
                       "axes of lhs and rhs be equal or 1");
  expected.append({lhs.getDimSize(2), rhs.getDimSize(3)});
  if (output.getShape() != ArrayRef<int64_t>(expected)) // (C2)
    return emitOpError("result must be ")
           << expected[0] << "x" << expected[1] << "x" << expected[2] << "x"
           << expected[3];
  bool isWhole = llvm::isa<IntegerType>(lhs.getElementType()) &&
                 llvm::isa<IntegerType>(rhs.getElementType()) &&
                 output.getElementType().isSignlessInteger(32);
  if (!isWhole && (lhs.getElementType() != rhs.getElementType() ||
                   lhs.getElementType() != output.getElementType())) // (C3)
    return emitOpError("operands and result must have one element type, or be "
                       "of 8-bit integers with an i32 result");
  return success();
}
