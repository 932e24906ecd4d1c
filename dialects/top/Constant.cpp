//===- Constant.cpp - top ops of the Constant family
//--------------------------------===//

#include "dialects/top/Constant.h"

using namespace mlir;
using namespace weft::top;
using namespace weft;
using weft::numeric::HostTensor;

#define WEFT_REGISTER TopDialect::registerConstant
#define WEFT_OPS "dialects/top/Constant.cpp.inc"
#include "dialects/OpDefinitions.inc"

FailureOr<RankedTensorType>
ConstantOp::resultTypeOf(Adaptor adaptor, std::optional<Location> location) {
  ElementsAttr value = adaptor.getValue();
  if (!value || !isTopTensor(value.getType())) // (C1)
    return emitOptionalError(location, "the value of a constant is ", value,
                             "; it must be a tensor of static shape with an "
                             "ONNX element type");
  return cast<RankedTensorType>(value.getType()); // (C2)
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
