//===- Choose.cpp - host kernel that chooses elements by a condition ------===//

#include "runtime/host/Strides.h"

#include <cstring>

using namespace weft;
using namespace weft::host;
using rt::Status;

/// result = condition ? operand 1 : operand 2, with broadcasting (ONNX Where).
Status host::kernels::select(const Call &call,
                             std::vector<HostTensor> &results) {
  const HostTensor &condition = call.operand(0);
  if (condition.type() != ElementType::Bool)
    return call.fail("the condition is %s, must be bool",
                     numeric::elementTypeName(condition.type()));
  std::optional<Shape> shape =
      broadcastShapes(call.operand(1).shape(), call.operand(2).shape());
  if (shape)
    shape = broadcastShapes(condition.shape(), *shape);
  if (!shape)
    return call.fail("the shapes of the operands do not broadcast");
  for (size_t i : {1, 2})
    if (call.operand(i).type() != call.results[0].type)
      return call.fail("operand %zu is %s, the result %s; they must agree", i,
                       numeric::elementTypeName(call.operand(i).type()),
                       numeric::elementTypeName(call.results[0].type));
  WEFT_TRY(call.addResult(*shape, results));
  HostTensor &output = results.back();
  size_t unit = numeric::elementBytes(output.type());
  Shape steps[3], index(shape->size(), 0);
  int64_t from[3] = {0, 0, 0};
  for (size_t i = 0; i < 3; ++i)
    steps[i] = broadcastSteps(call.operand(i).shape(), *shape);
  for (int64_t i = 0, end = output.elements(); i < end; ++i) {
    size_t chosen = condition.bytes()[from[0]] ? 1 : 2;
    std::memcpy(output.bytes() + i * unit,
                call.operand(chosen).bytes() + from[chosen] * unit, unit);
    for (int64_t axis = int64_t(shape->size()) - 1; axis >= 0; --axis) {
      for (size_t k = 0; k < 3; ++k)
        from[k] += steps[k][axis];
      if (++index[axis] < (*shape)[axis])
        break;
      for (size_t k = 0; k < 3; ++k)
        from[k] -= steps[k][axis] * (*shape)[axis];
      index[axis] = 0;
    }
  }
  return Status::ok();
}
