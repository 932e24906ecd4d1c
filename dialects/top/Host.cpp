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
  if (getOutputs().empty())
    return emitOpError() << "has no result; it needs one";
  return success();
}

CustomOperator CustomOp::custom() {
  return {getDomain(), getName(), int64_t(getOpset()), getParameters(),
          getAbsent().value_or(ArrayRef<int64_t>())};
}

/// The inputs that are left out and those that are there number the inputs of
/// the node.
static LogicalResult verifyAbsent(Operation *op, ArrayRef<int64_t> absent,
                                  int64_t inputs) {
  int64_t last = -1, slots = inputs + int64_t(absent.size());
  for (int64_t slot : absent) {
    if (slot <= last || slot >= slots)
      return op->emitOpError()
             << "names input " << slot
             << " as left out; inputs must ascend below " << slots;
    last = slot;
  }
  return success();
}

LogicalResult CustomOp::verify() {
  if (failed(verifyAbsent(*this, custom().absent, getInputs().size()))) // (C1)
    return failure();
  if (getOutputs().empty()) // (C2)
    return emitOpError() << "has no result; it needs one";
  return success();
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
