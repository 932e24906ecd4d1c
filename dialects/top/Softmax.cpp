//===- Softmax.cpp - top ops of the Softmax family
//--------------------------------===//

#include "dialects/top/Softmax.h"

using namespace mlir;
using namespace weft::top;
using namespace weft;

void TopDialect::registerSoftmax() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Softmax.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Softmax.cpp.inc"

LogicalResult SoftmaxOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  int64_t axis = adaptor.getAxisAttr().getInt();
  if (!input || axis < 0 || axis >= input.getRank()) // (C1)
    return emitOptionalError(location, "softmax along axis ", axis, " of ",
                             adaptor.getInput().getType(),
                             "; the axis must be in 0 .. rank-1");
  types.push_back(input);
  return success();
}
