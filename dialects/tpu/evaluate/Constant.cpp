//===- Constant.cpp - evaluation of the Constant family -------------------===//

#include "dialects/tpu/Constant.h"

#include "dialects/tpu/evaluate/Numbers.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

LogicalResult WeightOp::evaluate(Operands, Results &results) {
  FailureOr<HostTensor> tensor = toHostTensor(getValue(), getLoc());
  if (failed(tensor))
    return failure();
  results.push_back(std::move(*tensor));
  return success();
}
