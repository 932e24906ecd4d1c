//===- BatchNorm.cpp - host kernels of the Norm family --------------------===//

#include "runtime/host/Kernels.h"
#include "runtime/numeric/TensorValues.h"

#include <cmath>

using namespace weft;
using namespace weft::host;
using rt::Status;

Status host::kernels::batch_norm(const Call &call,
                                 std::vector<HostTensor> &results) {
  const Shape &shape = call.operand(0).shape();
  if (shape.size() < 2)
    return call.fail("an input of rank %zu; it must be 2 or more",
                     shape.size());
  int64_t channels = shape[1], plane = 1;
  for (size_t i = 1; i < 5; ++i)
    if (call.operand(i).elements() != channels)
      return call.fail("operand %zu has %lld values for %lld channels", i,
                       static_cast<long long>(call.operand(i).elements()),
                       static_cast<long long>(channels));
  WEFT_TRY(call.addResult(shape, results));
  if (results.back().elements() == 0)
    return Status::ok();
  for (size_t axis = 2; axis < shape.size(); ++axis)
    plane *= shape[axis];
  std::vector<double> values = numeric::loadDoubles(call.operand(0));
  std::vector<double> scale = numeric::loadDoubles(call.operand(1));
  std::vector<double> bias = numeric::loadDoubles(call.operand(2));
  std::vector<double> mean = numeric::loadDoubles(call.operand(3));
  std::vector<double> variance = numeric::loadDoubles(call.operand(4));
  double epsilon = call.attributes.number("epsilon");
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t c = int64_t(i) / plane % channels;
    values[i] =
        (values[i] - mean[c]) / std::sqrt(variance[c] + epsilon) * scale[c] +
        bias[c];
  }
  numeric::storeDoubles(values, results.back());
  return Status::ok();
}
