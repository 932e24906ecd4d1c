//===- Softmax.cpp - top ops of the Softmax family
//--------------------------------===//

#include "dialects/top/Softmax.h"

using namespace mlir;
using namespace weft::top;
using namespace weft;

#define WEFT_REGISTER TopDialect::registerSoftmax
#define WEFT_OPS "dialects/top/Softmax.cpp.inc"
#include "dialects/OpDefinitions.inc"

FailureOr<RankedTensorType>
SoftmaxOp::resultTypeOf(Adaptor adaptor, std::optional<Location> location) {
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  int64_t axis = adaptor.getAxisAttr().getInt();
  if (!input || axis < 0 || axis >= input.getRank()) // (C1)
    return emitOptionalError(location, "softmax along axis ", axis, " of ",
                             adaptor.getInput().getType(),
                             "; the axis must be in 0 .. rank-1");
  return input;
}
