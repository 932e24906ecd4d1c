//===- Unary.cpp - tpu ops of the Unary family ---===//

#include "dialects/tpu/Unary.h"

using namespace mlir;
using namespace weft::tpu;

void TpuDialect::registerUnary() {
  addOperations<
#define GET_OP_LIST
#include "dialects/tpu/Unary.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/tpu/Unary.cpp.inc"

/// How many of alpha and beta a kind has.
static unsigned parameterCount(UnaryKind kind) {
  switch (kind) {
  case UnaryKind::Clip:
  case UnaryKind::HardSigmoid:
  case UnaryKind::Selu:
  case UnaryKind::Shrink:
  case UnaryKind::IsInf:
    return 2;
  case UnaryKind::LeakyRelu:
  case UnaryKind::ThresholdedRelu:
  case UnaryKind::Elu:
  case UnaryKind::Celu:
  case UnaryKind::Swish:
    return 1;
  default:
    return 0;
  }
}

LogicalResult UnaryOp::verify() {
  bool both = parameterCount(getKind()) == 2;
  bool first = parameterCount(getKind()) > 0;
  if (getAlpha().has_value() != first || getBeta().has_value() != both) // (C1)
    return emitOpError() << stringifyUnaryKind(getKind()) << " needs "
                         << (both    ? "alpha and beta"
                             : first ? "alpha only"
                                     : "no alpha and no beta");
  return success();
}

LogicalResult LutOp::verify() {
  if (getInput().getType().getShape() !=
      getOutput().getType().getShape()) // (C1)
    return emitOpError("input and output must have one shape");
  int64_t tableShape[] = {1, 1, 1, 256};
  if (getTable().getType().getShape() != ArrayRef<int64_t>(tableShape)) // (C2)
    return emitOpError("table must be 1x1x1x256xi8");
  if (elementBytes(elementOf(getInput())) != 1 ||
      elementBytes(elementOf(getOutput())) != 1)
    return emitOpError("input and output must be 8-bit"); // (C2)
  return success();
}
