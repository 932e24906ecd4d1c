//===- Host.cpp - evaluation of the Host family ---------------------------===//

#include "dialects/tpu/Host.h"

#include "dialects/tpu/evaluate/Numbers.h"
#include "runtime/host/Convert.h"

#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

LogicalResult ToHostOp::evaluate(Operands operands, Results &results) {
  FailureOr<host::ResultType> type = hostResultType(getOutput().getType());
  rt::Result<HostTensor> output = host::convert(*operands[0], type->type);
  if (!output)
    return emitOpError() << output.status().message();
  if (numeric::elementCount(type->shape) == 0)
    *output = HostTensor(type->type, type->shape);
  else if (!output->reshape(type->shape))
    return emitOpError("changes the number of elements");
  results.push_back(std::move(*output));
  return success();
}

LogicalResult FromHostOp::evaluate(Operands operands, Results &results) {
  HostTensor output = *makeHostTensor(getOutput().getType());
  rt::Result<HostTensor> input = host::convert(*operands[0], output.type());
  if (!input)
    return emitOpError() << input.status().message();
  if (input->sizeBytes() > output.sizeBytes())
    return emitOpError("gets more elements than its type bounds");
  if (input->sizeBytes())
    std::memcpy(output.bytes(), input->bytes(), input->sizeBytes());
  results.push_back(std::move(output));
  return success();
}

LogicalResult HostOp::evaluate(Operands operands, Results &results) {
  return evaluateOnHost(*this, operands, results);
}

LogicalResult HostConstantOp::evaluate(Operands, Results &results) {
  FailureOr<HostTensor> tensor = toHostTensor(getValue(), getLoc());
  if (failed(tensor))
    return failure();
  results.push_back(std::move(*tensor));
  return success();
}

static SmallVector<RankedTensorType> tensorTypes(ArrayAttr types) {
  SmallVector<RankedTensorType> tensors;
  for (Attribute type : types)
    tensors.push_back(cast<RankedTensorType>(cast<TypeAttr>(type).getValue()));
  return tensors;
}

LogicalResult CustomOp::evaluate(Operands operands, Results &results) {
  return evaluateCustom(*this, custom(), operands, tensorTypes(getInputTypes()),
                        tensorTypes(getOutputTypes()), results);
}
