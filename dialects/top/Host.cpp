//===- Host.cpp - top ops of the Host family ------------------------------===//

#include "dialects/top/Host.h"

using namespace mlir;
using namespace weft::top;
using namespace weft;

#define WEFT_REGISTER TopDialect::registerHost
#define WEFT_OPS "dialects/top/Host.cpp.inc"
#include "dialects/OpDefinitions.inc"

LogicalResult HostOp::verify() {
  if (failed(verifyHostCall(*this, getKernel(), getInputs().size(),
                            getAbsent()))) // (C1), (C2)
    return failure();
  return verifyGivesResults(*this);
}

LogicalResult CustomOp::verify() {
  if (failed(verifyAbsent(*this, custom().absent, getInputs().size()))) // (C1)
    return failure();
  return verifyGivesResults(*this); // (C2)
}

static SmallVector<RankedTensorType> tensorTypes(TypeRange types) {
  SmallVector<RankedTensorType> tensors;
  for (Type type : types)
    tensors.push_back(cast<RankedTensorType>(type));
  return tensors;
}

LogicalResult
CustomOp::evaluate(ArrayRef<const numeric::HostTensor *> operands,
                   SmallVectorImpl<numeric::HostTensor> &results) {
  return evaluateCustom(*this, custom(), operands,
                        tensorTypes(getOperandTypes()),
                        tensorTypes(getResultTypes()), results);
}
