//===- Host.cpp - tpu ops of the Host family ------------------------------===//

#include "dialects/tpu/Host.h"

#include "runtime/host/Convert.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

#define WEFT_REGISTER TpuDialect::registerHost
#define WEFT_OPS "dialects/tpu/Host.cpp.inc"
#include "dialects/OpDefinitions.inc"

bool weft::tpu::isHostTensor(Type type) {
  return succeeded(hostResultType(type));
}

/// What to_host and from_host share: `chip` holds the elements of `host`.
static LogicalResult verifyTransfer(Operation *op, Type chip, Type host) {
  auto chipType = cast<RankedTensorType>(chip);
  FailureOr<host::ResultType> hostType = hostResultType(host);
  int64_t elements = *numeric::elementCount(hostType->largest);
  if (chipType.getNumElements() != std::max<int64_t>(elements, 1)) // (C1)
    return op->emitOpError() << "between " << chipType.getNumElements()
                             << " elements on the chip and " << elements
                             << " on the host; both must have the same number";
  auto chipElement = hostElementType(chipType.getElementType());
  if (!chipElement || isa<quant::QuantizedType>(chipType.getElementType()) ||
      !host::isConvertible(hostType->type, *chipElement)) // (C2)
    return op->emitOpError() << "between " << chip << " and " << host
                             << "; cast floats to integers or back first";
  return success();
}

LogicalResult ToHostOp::verify() {
  if (!getOutput().getType().hasStaticShape()) // (C1)
    return emitOpError() << "gives " << getOutput().getType()
                         << "; the shape must be static";
  return verifyTransfer(*this, getInput().getType(), getOutput().getType());
}

LogicalResult FromHostOp::verify() {
  return verifyTransfer(*this, getOutput().getType(), getInput().getType());
}

LogicalResult HostOp::verify() {
  if (failed(verifyHostCall(*this, getKernel(), getInputs().size(),
                            getAbsent()))) // (C1), (C2)
    return failure();
  return verifyGivesResults(*this);
}

/// As many elements, and of the same type.
static bool hasElementsOf(RankedTensorType onnx, Type own) {
  auto type = cast<RankedTensorType>(own);
  return onnx.getNumElements() == type.getNumElements() &&
         onnx.getElementType() == type.getElementType();
}

LogicalResult CustomOp::verify() {
  if (failed(verifyOnnxTypes(*this, getInputTypes(), getOperandTypes(),
                             "inputs", hasElementsOf)) ||
      failed(verifyOnnxTypes(*this, getOutputTypes(), getResultTypes(),
                             "results", hasElementsOf))) // (C1)
    return failure();
  if (failed(verifyGivesResults(*this))) // (C2)
    return failure();
  if (getAddresses() && getAddresses()->size() != getOutputs().size()) // (C3)
    return emitOpError() << "has " << getAddresses()->size()
                         << " addresses for " << getOutputs().size()
                         << " results; give one for each";
  return success();
}
