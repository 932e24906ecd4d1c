//===- Softmax.cpp - host kernel of softmax -------------------------------===//

#include "runtime/host/Strides.h"
#include "runtime/numeric/PortableMath.h"
#include "runtime/numeric/TensorValues.h"

#include <algorithm>

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
  int64_t size = shape[axis], inner = rowMajorSteps(shape)[axis];
  int64_t lines = size ? int64_t(values.size()) / size : 0;
  for (int64_t i = 0; i < lines; ++i) {
    double *first = &values[i / inner * size * inner + i % inner];
    double largest = *first, sum = 0;
    for (int64_t k = 1; k < size; ++k)
      largest = std::max(largest, first[k * inner]);
    for (int64_t k = 0; k < size; ++k)
      sum += first[k * inner] =
          numeric::portable::exp(first[k * inner] - largest);
    for (int64_t k = 0; k < size; ++k)
      first[k * inner] /= sum;
  }
  numeric::storeDoubles(values, results.back());
  return Status::ok();
}
