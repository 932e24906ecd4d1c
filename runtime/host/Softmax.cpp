//===- Softmax.cpp - host kernel of softmax -------------------------------===//

#include "runtime/numeric/Softmax.h"
#include "runtime/host/Strides.h"
#include "runtime/numeric/TensorValues.h"

using namespace weft;
using namespace weft::host;
using rt::Status;

Status host::kernels::softmax(const Call &call,
                              std::vector<HostTensor> &results) {
  const HostTensor &input = call.operand(0);
  const Shape &shape = input.shape();
  int64_t axis = call.attributes.integer("axis", -1);
  if (axis < 0 || axis >= int64_t(shape.size()))
    return call.fail("axis is %lld of %zu", static_cast<long long>(axis),
                     shape.size());
  if (!numeric::isFloatType(input.type()) ||
      call.results[0].type != input.type())
    return call.fail("needs floats and gives the same type");
  WEFT_TRY(call.addResult(shape, results));
  std::vector<double> values = numeric::loadDoubles(input);
  numeric::softmaxLines(values, shape[axis], rowMajorSteps(shape)[axis]);
  numeric::storeDoubles(values, results.back());
  return Status::ok();
}
