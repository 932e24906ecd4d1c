//===- Binary.cpp - tpu ops of the Binary family ---===//

#include "dialects/tpu/Binary.h"

using namespace mlir;
using namespace weft::tpu;

#define WEFT_REGISTER TpuDialect::registerBinary
#define WEFT_OPS "dialects/tpu/Binary.cpp.inc"
#include "dialects/OpDefinitions.inc"

bool BinaryOp::isInteger() {
  return llvm::isa<IntegerType>(elementOf(getLhs()));
}

bool BinaryOp::isSequence() { return getKind() >= BinaryKind::Pow; }

static bool isShift(BinaryKind kind) {
  return kind == BinaryKind::ShiftLeft || kind == BinaryKind::ShiftRight;
}

bool BinaryOp::canRepeatChannels() {
  return !isSequence() && !isShift(getKind()) && !isQuantized(getLhs());
}

static LogicalResult verifyInteger(BinaryOp op) {
  Type element = elementOf(op.getLhs());
  bool shifts = isShift(op.getKind());
  Type wanted = shifts ? IntegerType::get(op.getContext(), 8) : element;
  if (elementOf(op.getOutput()) != element ||
      (op.getRhs() && elementOf(op.getRhs()) != wanted)) // (C3)
    return op.emitOpError(
        "integer form needs one element type, and i8 for the amount of a "
        "shift");
  if (op.getMultipliers() || op.getRshifts()) // (C4)
    return op.emitOpError("integer form takes no multipliers or rshifts");
  if (op.getKind() == BinaryKind::Div || op.isSequence()) // (C5)
    return op.emitOpError("integer form has no ")
           << stringifyBinaryKind(op.getKind());
  if (op.getRelu()) // (C6)
    return op.emitOpError("integer form has no relu");
  if (!op.getConstant())
    return success();
  double value = op.getConstantAttr().getValueAsDouble();
  auto [low, high] = shifts ? std::pair<int64_t, int64_t>(0, 31)
                            : integerBounds(cast<IntegerType>(element));
  if (!(value >= low && value <= high) ||
      value != static_cast<double>(static_cast<int64_t>(value)) ||
      (shifts && op.getReversed())) // (C7)
    return op.emitOpError("constant is ")
           << value << ", must be a whole number from " << low << " to " << high
           << (shifts ? " and not reversed" : "");
  return success();
}

LogicalResult BinaryOp::verify() {
  auto lhs = getLhs().getType(), output = getOutput().getType();
  auto rhs = getRhs() ? getRhs().getType() : lhs;
  if (failed(verifyTwoOperands(*this, getLhs(), getRhs(), getOutput(),
                               getConstant().has_value()))) // (C1), (C2)
    return failure();
  if (getReversed() && getRhs()) // (C2)
    return emitOpError(
        "is reversed with two tensors; reversed needs a constant");
  if (isInteger())
    return verifyInteger(*this);
  if (isSequence() && !lhs.getElementType().isF32()) // (C5)
    return emitOpError() << stringifyBinaryKind(getKind())
                         << " takes f32, found " << lhs.getElementType();
  if (getKind() > BinaryKind::Min && !isSequence()) // (C5)
    return emitOpError() << stringifyBinaryKind(getKind())
                         << " takes integers, found " << lhs.getElementType();
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
  if (getRelu() && !isClippedAtZero(elementOf(getOutput()))) // (C6)
    return emitOpError("relu with a quantized result needs an unsigned one");
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
  if (getKind() == BinaryKind::Mul &&
      (elementBytes(lhs.getElementType()) != 1 ||
       elementBytes(rhs.getElementType()) != 1)) // (C4)
    return emitOpError("quantized mul takes 8-bit operands");
  if (!expected && (lhs.getElementType() != rhs.getElementType() ||
                    lhs.getElementType() != output.getElementType()))
    return emitOpError("quantized max and min need one element type"); // (C4)
  return success();
}
