//===- Norm.cpp - top ops of the Norm family
//--------------------------------===//

#include "dialects/top/Norm.h"

using namespace mlir;
using namespace weft::top;
using namespace weft;
using weft::numeric::HostTensor;

#define WEFT_REGISTER TopDialect::registerNorm
#define WEFT_OPS "dialects/top/Norm.cpp.inc"
#include "dialects/OpDefinitions.inc"

FailureOr<RankedTensorType>
BatchNormOp::resultTypeOf(Adaptor adaptor, std::optional<Location> location) {
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  if (!input || input.getRank() < 2) // (C1)
    return emitOptionalError(location, "batch normalization of ",
                             adaptor.getInput().getType(),
                             "; the input must have rank >= 2");
  int64_t channels = input.getDimSize(1);
  const std::pair<StringRef, Value> operands[] = {
      {"scale", adaptor.getScale()},
      {"bias", adaptor.getBias()},
      {"mean", adaptor.getMean()},
      {"variance", adaptor.getVariance()}};
  for (auto [name, operand] : operands) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || type.getRank() != 1 || type.getDimSize(0) != channels) // (C2)
      return emitOptionalError(location, name, " is ", operand.getType(),
                               "; it must have ", channels,
                               " values, one for each channel of the input");
  }
  APFloat epsilon = adaptor.getEpsilon();
  if (!epsilon.isFinite() ||
      (epsilon.isNegative() && !epsilon.isZero())) // (C3)
    return emitOptionalError(location, "epsilon is ", epsilon.convertToDouble(),
                             "; it must be finite and >= 0");
  return input;
}

LogicalResult BatchNormOp::evaluate(ArrayRef<const HostTensor *> operands,
                                    SmallVectorImpl<HostTensor> &results) {
  return evaluateOnHost(*this, operands, results);
}
