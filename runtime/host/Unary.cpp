//===- Unary.cpp - host kernels of the Unary family -----------------------===//

#include "runtime/host/Kernels.h"
#include "runtime/host/Kinds.h"
#include "runtime/numeric/TensorValues.h"

using namespace weft;
using namespace weft::host;
using rt::Status;

Status host::kernels::unary(const Call &call,
                            std::vector<HostTensor> &results) {
  const HostTensor &input = call.operand(0);
  std::optional<UnaryKind> kind = findUnaryKind(call.attributes.text("kind"));
  if (!kind)
    return call.fail("there is no function '%s'",
                     call.attributes.text("kind").c_str());
  double alpha = call.attributes.number("alpha", defaultAlpha(*kind));
  double beta = call.attributes.number("beta", defaultBeta(*kind));
  WEFT_TRY(call.addResult(input.shape(), results));
  HostTensor &output = results.back();
  if (input.type() == ElementType::F32 && output.type() == ElementType::F32) {
    unaryFloats (*kind)(input.as<float>(), output.as<float>(), input.elements(),
                        alpha, beta);
    return Status::ok();
  }
  if (numeric::isFloatType(input.type())) {
    UnaryFunction function = unaryFunction(*kind);
    std::vector<double> values = numeric::loadDoubles(input);
    for (double &value : values)
      value = function(value, alpha, beta);
    numeric::storeDoubles(values, output);
    return Status::ok();
  }
  std::vector<int64_t> values = numeric::loadIntegers(input);
  for (int64_t &value : values)
    value = unaryInteger(*kind, input.type(), value, alpha, beta);
  numeric::storeIntegers(values, output);
  return Status::ok();
}
