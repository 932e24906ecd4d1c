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

LogicalResult LinearOp::verify() {
  auto input = getInput().getType(), filter = getFilter().getType();
  int64_t images = input.getDimSize(0), rows = input.getDimSize(1),
          inner = input.getDimSize(3), columns = filter.getDimSize(0);
  auto is = [](Value value, ArrayRef<int64_t> shape) {
    return cast<RankedTensorType>(value.getType()).getShape() == shape;
  };
  if (!is(getInput(), {images, rows, 1, inner}) ||
      !is(getFilter(), {columns, inner, 1, 1}) ||
      !is(getOutput(), {images, rows, 1, columns}) ||
      (getBias() && !is(getBias(), {1, columns, 1, 1}))) // (C1)
    return emitOpError("input must be BxRx1xK, filter NxKx1x1, result BxRx1xN "
                       "and bias 1xNx1x1");
  Type from = input.getElementType(), to = elementOf(getOutput());
  if (!isQuantized(getInput())) {
    if (filter.getElementType() != from || (to != from && !to.isF32())) // (C2)
      return emitOpError("float form needs one type for input and filter, that "
                         "type or f32 as result");
    if (getScales()) // (C3)
      return emitOpError("float form takes no scales");
    return success();
  }
  if (!filter.getElementType().isInteger(8)) // (C2)
    return emitOpError("int8 form needs an i8 filter");
  if (!getScales() || int64_t(getScales()->size()) != columns) // (C3)
    return emitOpError("needs ") << columns << " scales";
  if (getRelu() && !isClippedAtZero(to)) // (C4)
    return emitOpError("relu with a quantized result needs an unsigned one "
                       "with zero point 0");
  return success();
}

LogicalResult CodedLinearOp::verify() {
  auto is = [](Value value, ArrayRef<int64_t> shape) {
    return cast<RankedTensorType>(value.getType()).getShape() == shape;
  };
  int64_t inner = this->inner(), columns = this->columns(),
          groups = this->groups();
  ArrayRef<int64_t> from = getInput().getType().getShape();
  SmallVector<int64_t, 4> to(from);
  unsigned axis = getRowsInLanes() ? 3 : 1;
  to[axis] = columns;
  if (from[axis] != inner || !is(getOutput(), to) ||
      (getRowsInLanes() && from[2] != 1)) // (C1)
    return emitOpError("input and result must be BxKxHxW and BxNxHxW, or "
                       "BxRx1xK and BxRx1xN of rows in lanes");
  if (!is(getCodes(), {columns, inner, 1, 1}) || inner % groups != 0 ||
      !is(getScales(), {columns, groups, 1, 1}) ||
      (getZeroPoints() && !is(getZeroPoints(), {columns, groups, 1, 1})) ||
      (getBias() && !is(getBias(), {1, columns, 1, 1}))) // (C2)
    return emitOpError("codes must be NxKx1x1, scales and zero points NxGx1x1 "
                       "where G divides K, bias 1xNx1x1");
  if (getCodes().getType().getElementType().isUnsignedInteger() !=
      static_cast<bool>(getZeroPoints())) // (C3)
    return emitOpError("codes must be i8 without zero points, ui8 with them");
  if (getBits() != 4 && getBits() != 8) // (C4)
    return emitOpError("bits is ") << getBits() << ", must be 4 or 8";
  if (inner % kCodedInnerUnit != 0 || inner / groups % 2 != 0) // (C5)
    return emitOpError("has ") << inner << " rows in groups of "
                               << inner / groups << ", must be a multiple of "
                               << kCodedInnerUnit << " in even groups";
  return success();
}

LogicalResult RowMatMulOp::verify() {
  auto lhs = getLhs().getType(), rhs = getRhs().getType();
  int64_t leftImages = lhs.getDimSize(0), rightImages = rhs.getDimSize(0),
          images = std::max(leftImages, rightImages), rows = lhs.getDimSize(1),
          heads = lhs.getDimSize(2), inner = lhs.getDimSize(3),
          columns = rhs.getDimSize(getTransposed() ? 1 : 3);
  SmallVector<int64_t, 4> right{rightImages, inner, heads, columns};
  if (getTransposed())
    std::swap(right[1], right[3]);
  int64_t product[] = {images, rows, heads, columns};
  if (std::min(leftImages, rightImages) != images &&
      std::min(leftImages, rightImages) != 1) // (C1)
    return emitOpError("operands of ")
           << leftImages << " and " << rightImages
           << " images must have as many, or one of them 1";
  if (rhs.getShape() != ArrayRef(right) ||
      getOutput().getType().getShape() != ArrayRef<int64_t>(product)) // (C1)
    return emitOpError("lhs must be BxMxHxK, rhs BxKxHxN (transposed BxNxHxK) "
                       "and the result BxMxHxN");
  if (lhs.getElementType() != rhs.getElementType() ||
      lhs.getElementType() != getOutput().getType().getElementType()) // (C2)
    return emitOpError("operands and result must have one element type");
  if (getTransposed() && lhs.getElementType().isF32()) // (C2)
    return emitOpError("transposed form needs a 16-bit type");
  return success();
}
