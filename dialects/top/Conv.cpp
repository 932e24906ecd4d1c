//===- Conv.cpp - top ops of the Conv family
//--------------------------------===//

#include "dialects/top/Conv.h"
#include "dialects/top/Geometry.h"

using namespace mlir;
using namespace weft::top;
using namespace weft;
using weft::numeric::HostTensor;

#define WEFT_REGISTER TopDialect::registerConv
#define WEFT_OPS "dialects/top/Conv.cpp.inc"
#include "dialects/OpDefinitions.inc"

FailureOr<RankedTensorType>
ConvOp::resultTypeOf(Adaptor adaptor, std::optional<Location> location) {
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  auto filter = dyn_cast<RankedTensorType>(adaptor.getFilter().getType());
  if (!input || !filter || input.getRank() < 3 || input.getRank() > 5 ||
      filter.getRank() != input.getRank()) // (C1)
    return emitOptionalError(
        location, "convolution of ", adaptor.getInput().getType(), " with ",
        adaptor.getFilter().getType(),
        "; input and filter must both have rank 3, 4 or 5");
  size_t spatial = input.getRank() - 2;
  ArrayRef<int64_t> strides = adaptor.getStrides(), pads = adaptor.getPads(),
                    dilations = adaptor.getDilations();
  if (failed(checkGeometry(location, "strides", strides, 1, spatial, 1)) ||
      failed(checkGeometry(location, "dilations", dilations, 1, spatial, 1)) ||
      failed(checkGeometry(location, "pads", pads, 2, spatial, 0))) // (C2)
    return failure();
  int64_t group = adaptor.getGroupAttr().getInt();
  int64_t channels = input.getDimSize(1), outChannels = filter.getDimSize(0);
  if (group < 1 || channels % group || outChannels % group ||
      filter.getDimSize(1) != channels / group) // (C3)
    return emitOptionalError(
        location, "group is ", group, " with ", channels,
        " input channels and a filter of shape ", shapeText(filter.getShape()),
        "; it must divide the input and output channels, and filter axis 1 "
        "must be input channels / group");
  if (Value bias = adaptor.getBias()) { // (C4), (C5)
    auto type = dyn_cast<RankedTensorType>(bias.getType());
    if (!type || type.getRank() != 1 || type.getDimSize(0) != outChannels ||
        type.getElementType() != input.getElementType())
      return emitOptionalError(location, "the bias is ", bias.getType(),
                               "; it must have ", outChannels,
                               " values of type ", input.getElementType());
  }
  if (filter.getElementType() != input.getElementType()) // (C5)
    return emitOptionalError(location, "input of ", input.getElementType(),
                             " with a filter of ", filter.getElementType(),
                             "; both must have one element type");
  SmallVector<int64_t> shape = {input.getDimSize(0), outChannels};
  for (size_t s = 0; s < spatial; ++s) {
    int64_t kernel = filter.getDimSize(s + 2);
    if (kernel < 1 || kernel > kLargestGeometry) // (C6)
      return emitOptionalError(location, "the kernel has size ", kernel,
                               " on spatial axis ", s,
                               "; it must be in 1 .. 2^31");
    int64_t window = dilations[s] * (kernel - 1) + 1;
    int64_t padded = input.getDimSize(s + 2) + pads[s] + pads[spatial + s];
    if (window > padded) // (C6)
      return emitOptionalError(location, "the kernel spans ", window,
                               " values on spatial axis ", s,
                               " but the padded input has ", padded,
                               "; pad more or use a smaller kernel");
    shape.push_back((padded - window) / strides[s] + 1);
  }
  return RankedTensorType::get(shape, input.getElementType());
}

LogicalResult ConvOp::evaluate(ArrayRef<const HostTensor *> operands,
                               SmallVectorImpl<HostTensor> &results) {
  return evaluateOnHost(*this, operands, results);
}
