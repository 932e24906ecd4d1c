//===- TiuArith.cpp - TIU element arithmetic -----------------------------===//

#include "dialects/ppl/TiuArith.h"
#include "dialects/ppl/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

void PplDialect::registerTiuArith() {
  addOperations<
#define GET_OP_LIST
#include "dialects/ppl/TiuArith.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/ppl/TiuArith.cpp.inc"

static LogicalResult expectNotBothScalar(Operation *op, Value lhs, Value rhs) {
  if (isScalar(lhs) && isScalar(rhs))
    return op->emitOpError()
           << "both operands are scalars; fold the constant, or fill with "
              "ppl.bdc.unary copy";
  return success();
}

LogicalResult FloatOp::verify() {
  TensorViewType dst = getDst().getType(), lhs = tensorOf(getLhs()),
                 rhs = tensorOf(getRhs());
  if (failed(verifyElementOperands(*this, dst, {getLhs(), getRhs()})) ||
      failed(expectNotBothScalar(*this, getLhs(), getRhs())) || // (C4)
      failed(expectSameElements(*this, "dst", dst, "lhs", lhs)) ||
      failed(expectSameElements(*this, "dst", dst, "rhs", rhs)))
    return failure();
  if (!dst.isFloat()) // (C1)
    return emitOpError() << "element type is " << dst.getElementType()
                         << ", must be a float; use ppl.bdc.int";
  for (Value operand : {getLhs(), getRhs()})
    if (isScalar(operand) && !mlir::isa<FloatType>(operand.getType()))
      return emitOpError()
             << "a scalar is i32 beside float tensors, must be f32";
  bool onlyF32 = getKind() == FloatKind::Div || getKind() == FloatKind::Mac;
  if (onlyF32 && !dst.getElementType().isF32()) // (C2)
    return emitOpError() << stringifyFloatKind(getKind())
                         << " takes f32, found " << dst.getElementType()
                         << "; cast first";
  return expectRange(*this, "iterations", int32_t(getIterations()), 1,
                     4); // (C3)
}

static bool isShift(IntKind kind) {
  return kind == IntKind::ShiftArith || kind == IntKind::ShiftLogical ||
         kind == IntKind::Rotate;
}

static bool isSum(IntKind kind) {
  return kind == IntKind::Add || kind == IntKind::Sub || kind == IntKind::Mul;
}

LogicalResult IntOp::verify() {
  TensorViewType dst = getDst().getType(), lhs = tensorOf(getLhs()),
                 rhs = tensorOf(getRhs());
  if (failed(verifyElementOperands(*this, dst, {getLhs(), getRhs()})) ||
      failed(expectNotBothScalar(*this, getLhs(), getRhs()))) // (C5)
    return failure();
  for (TensorViewType type : {dst, lhs, rhs, tensorOf(getShift())})
    if (type && !isInteger(type)) // (C1)
      return emitOpError() << "element type is " << type.getElementType()
                           << ", must be an integer; use ppl.bdc.float";
  IntKind kind = getKind();
  if (getShift() && !isSum(kind))
    return emitOpError() << "shift goes with add, sub and mul, found "
                         << stringifyIntKind(kind);
  if (getSaturate() && !isSum(kind)) // (C2)
    return emitOpError() << "saturate goes with add, sub and mul, found "
                         << stringifyIntKind(kind);
  if (TensorViewType shift = tensorOf(getShift())) {
    if (!isInt8(shift) || !isSigned(shift))
      return emitOpError() << "element type of shift is "
                           << shift.getElementType() << ", must be si8";
    return expectPerChannel(*this, "shift", shift, dst.getC());
  }
  if (isShift(kind)) { // (C4)
    if (rhs && (!isInt8(rhs) || !isSigned(rhs)))
      return emitOpError() << "element type of the shift amount is "
                           << rhs.getElementType() << ", must be si8";
    if (!lhs)
      return emitOpError() << "the shifted operand must be a tensor";
  } else if (!isSum(kind)) { // (C3)
    if (failed(expectSameElements(*this, "dst", dst, "lhs", lhs)))
      return failure();
    return expectSameElements(*this, "dst", dst, "rhs", rhs);
  }
  return success();
}

LogicalResult UnaryOp::verify() {
  TensorViewType dst = getDst().getType(), src = tensorOf(getSrc());
  if (failed(verifyElementOperands(*this, dst, {getSrc()})))
    return failure();
  if (!src) { // (C2)
    if (getKind() != UnaryKind::Copy)
      return emitOpError() << stringifyUnaryKind(getKind())
                           << " takes a tensor, not a scalar";
    if (mlir::isa<FloatType>(getSrc().getType()) != dst.isFloat())
      return emitOpError() << "scalar is " << getSrc().getType()
                           << " for elements of " << dst.getElementType();
    return success();
  }
  if (getKind() == UnaryKind::Copy) { // (C1)
    if (elementBytesOf(dst) != elementBytesOf(src))
      return emitOpError() << "copy keeps the element size: dst has "
                           << dst.getElementType() << ", src has "
                           << src.getElementType() << "; use ppl.bdc.cast";
    return success();
  }
  bool isBitwise = getKind() != UnaryKind::Abs; // (C3)
  if (isBitwise && !isInteger(dst))
    return emitOpError() << stringifyUnaryKind(getKind())
                         << " takes integers, found " << dst.getElementType();
  return expectSameElements(*this, "dst", dst, "src", src);
}

LogicalResult CastOp::verify() {
  if (failed(verifyElementOperands(*this, getDst().getType(), {getSrc()})))
    return failure();
  if (getRounding() > Rounding::Ceil) // (C1)
    return emitOpError() << "rounding is " << stringifyRounding(getRounding())
                         << ", casts have half_to_even, half_away_from_zero, "
                            "toward_zero, floor "
                            "and ceil";
  if (TensorViewType src = tensorOf(getSrc())) { // (C2)
    Type from = src.getElementType(), to = getDst().getType().getElementType();
    if ((from.isF16() && to.isBF16()) || (from.isBF16() && to.isF16()))
      return emitOpError() << "of " << from << " to " << to
                           << "; the chip has none, cast to f32 first";
  }
  return success();
}

LogicalResult CompareOp::verify() {
  TensorViewType dst = getDst().getType(), lhs = tensorOf(getLhs()),
                 rhs = tensorOf(getRhs());
  if (failed(expectNotBothScalar(*this, getLhs(), getRhs()))) // (C3)
    return failure();
  TensorViewType compared = lhs ? lhs : rhs;
  if (failed(expectSameElements(*this, "lhs", lhs, "rhs", rhs)) || // (C1)
      failed(verifyElementOperands(
          *this, dst, {lhs ? getLhs() : Value(), rhs ? getRhs() : Value()})))
    return failure();
  if (elementBytesOf(dst) > elementBytesOf(compared))
    return emitOpError() << "dst " << dst.getElementType()
                         << " is wider than the compared "
                         << compared.getElementType();
  return success();
}

LogicalResult SelectOp::verify() {
  TensorViewType dst = getDst().getType(), lhs = tensorOf(getLhs()),
                 rhs = tensorOf(getRhs());
  if (failed(expectNotBothScalar(*this, getLhs(), getRhs()))) // (C3)
    return failure();
  TensorViewType onTrue = tensorOf(getOnTrue()),
                 onFalse = tensorOf(getOnFalse());
  if (failed(expectSameElements(*this, "lhs", lhs, "rhs", rhs)) || // (C1)
      failed(expectSameElements(*this, "dst", dst, "on_true", onTrue)) ||
      failed(expectSameElements(*this, "dst", dst, "on_false", onFalse)))
    return failure();
  for (auto [name, type] :
       {std::pair("dst", dst), std::pair("lhs", lhs), std::pair("rhs", rhs),
        std::pair("on_true", onTrue), std::pair("on_false", onFalse)}) // (C2)
    if (failed(expectShape(*this, name, type, dst.getShape())) ||
        failed(expectLayout(*this, name, type, {Layout::Aligned})))
      return failure();
  TensorViewType compared = lhs ? lhs : rhs;
  if (elementBytesOf(compared) > elementBytesOf(dst)) // (C4)
    return emitOpError() << "compared type " << compared.getElementType()
                         << " is wider than dst's " << dst.getElementType();
  return success();
}

LogicalResult LinearOp::verify() {
  TensorViewType dst = getDst().getType(), src = getSrc().getType();
  if (!dst.isFloat()) // (C1)
    return emitOpError() << "element type is " << dst.getElementType()
                         << ", must be a float";
  if (bool(getBias()) != (getKind() == LinearKind::Mac)) // (C4)
    return emitOpError()
           << "bias goes with mac, which needs it; use a scalar 0 for none";
  if (failed(expectShape(*this, "src", src, dst.getShape())) || // (C2)
      failed(expectLayout(*this, "dst", dst, {Layout::Aligned})) ||
      failed(expectLayout(*this, "src", src, {Layout::Aligned})) ||
      failed(expectSameElements(*this, "dst", dst, "src", src)))
    return failure();
  for (auto [name, value] :
       {std::pair("scale", getScale()), std::pair("bias", getBias())})
    if (failed(expectPerChannel(*this, name, tensorOf(value),
                                dst.getC())) || // (C3)
        failed(expectSameElements(*this, "dst", dst, name, tensorOf(value))))
      return failure();
  return success();
}
