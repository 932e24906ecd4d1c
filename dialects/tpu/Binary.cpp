//===- Binary.cpp - tpu ops of the Binary family ---===//

#include "dialects/tpu/Binary.h"

using namespace mlir;
using namespace weft::tpu;

void TpuDialect::registerBinary() {
  addOperations<
#define GET_OP_LIST
#include "dialects/tpu/Binary.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/tpu/Binary.cpp.inc"

/// (C1): axis by axis equal or 1.
static bool isBroadcast(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs,
                        ArrayRef<int64_t> output) {
  for (auto [l, r, o] : llvm::zip_equal(lhs, rhs, output))
    if ((l != r && l != 1 && r != 1) || o != (l == 1 ? r : l))
      return false;
  return true;
}

LogicalResult BinaryOp::verify() {
  auto lhs = getLhs().getType(), output = getOutput().getType();
  auto rhs = getRhs() ? getRhs().getType() : lhs;
  if (!isBroadcast(lhs.getShape(), rhs.getShape(), output.getShape())) // (C1)
    return emitOpError(
        "result shape must be the broadcast shape of the operands");
  if ((getRhs() != nullptr) == getConstant().has_value() ||
      (getReversed() && getRhs())) // (C2)
    return emitOpError("needs exactly one of a second operand and constant; "
                       "reversed goes with constant");
  bool quantized = isQuantized(getLhs());
  if (!quantized) {
    if (lhs.getElementType() != rhs.getElementType() ||
        lhs.getElementType() != output.getElementType()) // (C3)
      return emitOpError("float form needs one element type");
    if (getMultipliers() || getRshifts()) // (C4)
      return emitOpError("float form takes no multipliers or rshifts");
    return success();
  }
  if ((getRhs() && !isQuantized(getRhs())) || !isQuantized(getOutput())) // (C3)
    return emitOpError(
        "operands and result must be all float or all quantized");
  if (getConstant() || getKind() == BinaryKind::Div) // (C4)
    return emitOpError("quantized form has no constant and no div");
  size_t expected =
      getKind() == BinaryKind::Mul                                     ? 1
      : (getKind() == BinaryKind::Add || getKind() == BinaryKind::Sub) ? 2
                                                                       : 0;
  size_t multipliers = getMultipliers() ? getMultipliers()->size() : 0,
         rshifts = getRshifts() ? getRshifts()->size() : 0;
  if (multipliers != expected || rshifts != expected ||
      (expected && llvm::any_of(*getRshifts(), [](int32_t s) {
         return s < 0 || s > 63;
       }))) // (C4)
    return emitOpError("quantized ")
           << stringifyBinaryKind(getKind()) << " needs " << expected
           << " multipliers and rshifts, rshifts in [0, 63]";
  if (!expected && (lhs.getElementType() != rhs.getElementType() ||
                    lhs.getElementType() != output.getElementType()))
    return emitOpError("quantized max and min need one element type"); // (C4)
  return success();
}
