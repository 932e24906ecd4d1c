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
  if (getOutputs().empty())
    return emitOpError() << "has no result; it needs one";
  return success();
}

CustomOperator CustomOp::custom() {
  return {getDomain(), getName(), int64_t(getOpset()), getParameters(),
          getAbsent().value_or(ArrayRef<int64_t>())};
}

/// One type of the ONNX graph for each tensor, the same elements.
static LogicalResult verifyViews(Operation *op, ArrayAttr types,
                                 ValueRange tensors, StringRef what) {
  if (types.size() != tensors.size()) // (C1)
    return op->emitOpError()
           << "has " << types.size() << " types for " << tensors.size() << " "
           << what << "; give one for each";
  for (auto [attribute, tensor] : llvm::zip(types, tensors)) {
    auto own = cast<RankedTensorType>(tensor.getType());
    auto type =
        dyn_cast<RankedTensorType>(cast<TypeAttr>(attribute).getValue());
    if (!type || !type.hasStaticShape() ||
        type.getNumElements() != own.getNumElements() ||
        type.getElementType() != own.getElementType()) // (C1)
      return op->emitOpError() << "gives " << own << " as "
                               << cast<TypeAttr>(attribute).getValue()
                               << "; both must have the same elements";
  }
  return success();
}

LogicalResult CustomOp::verify() {
  if (failed(verifyViews(*this, getInputTypes(), getInputs(), "inputs")) ||
      failed(verifyViews(*this, getOutputTypes(), getOutputs(), "results")))
    return failure();
  if (getOutputs().empty()) // (C2)
    return emitOpError() << "has no result; it needs one";
  if (getAddresses() && getAddresses()->size() != getOutputs().size()) // (C3)
    return emitOpError() << "has " << getAddresses()->size()
                         << " addresses for " << getOutputs().size()
                         << " results; give one for each";
  return success();
}
