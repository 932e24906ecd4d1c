//===- Cast.cpp - tpu ops of the Cast family ---===//

#include "dialects/tpu/Cast.h"

using namespace mlir;
using namespace weft::tpu;

#define WEFT_REGISTER TpuDialect::registerCast
#define WEFT_OPS "dialects/tpu/Cast.cpp.inc"
#include "dialects/OpDefinitions.inc"

Rounding CastOp::roundingMode() {
  if (getRounding())
    return *getRounding();
  if (isa<IntegerType>(elementOf(getOutput())))
    return Rounding::TowardsZero;
  return isQuantized(getInput()) && isQuantized(getOutput())
             ? Rounding::HalfUp
             : Rounding::HalfEven;
}

LogicalResult CastOp::verify() {
  if (getInput().getType().getShape() !=
      getOutput().getType().getShape()) // (C1)
    return emitOpError("input and output must have one shape");
  Type from = elementOf(getInput()), to = elementOf(getOutput());
  bool quantized = isQuantized(getInput()) || isQuantized(getOutput());
  if (getBits()) { // (C2)
    bool areNumbers = !quantized || isa<IntegerType>(from) ||
                      isa<IntegerType>(to); // what codes stand for is scaled
    if (!areNumbers || elementBytes(from) != elementBytes(to))
      return emitOpError("with bits needs floats or integers of one width, or "
                         "integers and quantized elements, not ")
             << from << " and " << to;
    return success();
  }
  if (quantized && (isa<IntegerType>(from) || isa<IntegerType>(to))) // (C2)
    return emitOpError("of ") << from << " to " << to
                              << "; quantized elements and integers mix with "
                                 "bits only";
  if (isa<IntegerType>(to) && roundingMode() > Rounding::Up) // (C5)
    return emitOpError("casts to integers round half_even, half_away, "
                       "towards_zero, down or up, not ")
           << stringifyRounding(roundingMode());
  bool requantize = isQuantized(getInput()) && isQuantized(getOutput());
  if (getMultiplier().has_value() != requantize ||
      getRshift().has_value() != requantize ||
      (requantize && getRshift().value() > 63)) // (C3)
    return emitOpError(
        "requantize needs multiplier and rshift in [0, 63], other forms none");
  if ((from.isF16() && to.isBF16()) || (from.isBF16() && to.isF16())) // (C4)
    return emitOpError("of ")
           << from << " to " << to << "; the chip has none, cast to f32 first";
  return success();
}
