//===- Pool.cpp - top ops of the Pool family
//--------------------------------===//

#include "dialects/top/Pool.h"
#include "dialects/top/Geometry.h"

using namespace mlir;
using namespace weft::top;
using namespace weft;
using weft::numeric::HostTensor;

#define WEFT_REGISTER TopDialect::registerPool
#define WEFT_OPS "dialects/top/Pool.cpp.inc"
#include "dialects/OpDefinitions.inc"

FailureOr<RankedTensorType>
PoolOp::resultTypeOf(Adaptor adaptor, std::optional<Location> location) {
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  if (!input || input.getRank() < 3 || input.getRank() > 5) // (C1)
    return emitOptionalError(location, "pooling of ",
                             adaptor.getInput().getType(),
                             "; the input must have rank 3, 4 or 5");
  size_t spatial = input.getRank() - 2;
  ArrayRef<int64_t> kernel = adaptor.getKernel(),
                    strides = adaptor.getStrides(), pads = adaptor.getPads();
  if (failed(checkGeometry(location, "kernel", kernel, 1, spatial, 1)) ||
      failed(checkGeometry(location, "strides", strides, 1, spatial, 1)) ||
      failed(checkGeometry(location, "pads", pads, 2, spatial, 0))) // (C2)
    return failure();
  SmallVector<int64_t> shape = {input.getDimSize(0), input.getDimSize(1)};
  for (size_t s = 0; s < spatial; ++s) {
    int64_t before = pads[s], after = pads[spatial + s];
    if (before >= kernel[s] || after >= kernel[s]) // (C2)
      return emitOptionalError(
          location, "pads of spatial axis ", s, " are ", before, " and ", after,
          "; each must be smaller than the kernel, ", kernel[s]);
    int64_t size = input.getDimSize(s + 2), padded = size + before + after;
    if (kernel[s] > padded) // (C3)
      return emitOptionalError(location, "the kernel has ", kernel[s],
                               " values on spatial axis ", s,
                               " but the padded input has ", padded,
                               "; pad more or use a smaller kernel");
    int64_t count = (padded - kernel[s]) / strides[s] + 1;
    // (C4) pads < kernel gives the first and last window an input cell; an
    // empty input has none.
    if (size < 1)
      return emitOptionalError(location, "spatial axis ", s,
                               " of the input is empty; pooling needs at "
                               "least one value in each window");
    shape.push_back(count);
  }
  return RankedTensorType::get(shape, input.getElementType());
}

LogicalResult PoolOp::evaluate(ArrayRef<const HostTensor *> operands,
                               SmallVectorImpl<HostTensor> &results) {
  return evaluateOnHost(*this, operands, results);
}
