//===- Constant.cpp - top ops of the Constant family
//--------------------------------===//

#include "dialects/top/Constant.h"

using namespace mlir;
using namespace weft::top;
using namespace weft;
using weft::numeric::HostTensor;

void TopDialect::registerConstant() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Constant.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Constant.cpp.inc"

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location> location,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  ElementsAttr value = adaptor.getValue();
  if (!value || !isTopTensor(value.getType())) // (C1)
    return emitOptionalError(location, "the value of a constant is ", value,
                             "; it must be a tensor of static shape with an "
                             "ONNX element type");
  types.push_back(value.getType()); // (C2)
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantOp::evaluate(ArrayRef<const HostTensor *>,
                                   SmallVectorImpl<HostTensor> &results) {
  FailureOr<HostTensor> tensor = toHostTensor(getValue(), getLoc());
  if (failed(tensor))
    return failure();
  results.push_back(std::move(*tensor));
  return success();
}
