//===- Pool.cpp - top ops of the Pool family
//--------------------------------===//

#include "dialects/top/Pool.h"
#include "dialects/top/Geometry.h"

#include "runtime/numeric/TensorValues.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace weft::top;
using namespace weft;
using weft::numeric::HostTensor;

void TopDialect::registerPool() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Pool.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Pool.cpp.inc"

LogicalResult PoolOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
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
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

/// Maximum (NaN wins) or sum of the window of one plane that begins at `start`;
/// `cells` counts those inside.
static double reduceWindow(PoolKind kind, const double *plane,
                           ArrayRef<int64_t> size, ArrayRef<int64_t> kernel,
                           ArrayRef<int64_t> start, int64_t &cells) {
  double value =
      kind == PoolKind::Max ? -std::numeric_limits<double>::infinity() : 0.0;
  SmallVector<int64_t, 3> low, high;
  for (size_t s = 0; s < size.size(); ++s) {
    low.push_back(std::max<int64_t>(start[s], 0));
    high.push_back(std::min(start[s] + kernel[s], size[s]));
  }
  cells = 0;
  SmallVector<int64_t, 3> at = low;
  // An odometer over the window; every axis has at least one cell (C4).
  while (true) {
    int64_t offset = 0;
    for (size_t s = 0; s < size.size(); ++s)
      offset = offset * size[s] + at[s];
    double cell = plane[offset];
    if (kind == PoolKind::Avg)
      value += cell;
    else if (cell > value || cell != cell)
      value = value != value ? value : cell;
    ++cells;
    int64_t axis = int64_t(size.size()) - 1;
    while (axis >= 0 && ++at[axis] == high[axis]) {
      at[axis] = low[axis];
      --axis;
    }
    if (axis < 0)
      return value;
  }
}

LogicalResult PoolOp::evaluate(ArrayRef<const HostTensor *> operands,
                               SmallVectorImpl<HostTensor> &results) {
  HostTensor &output = results.emplace_back(*makeHostTensor(getType()));
  ArrayRef<int64_t> size = getInput().getType().getShape().drop_front(2);
  ArrayRef<int64_t> outSize = getType().getShape().drop_front(2);
  std::vector<double> input = loadDoubles(*operands[0]);
  std::vector<double> values(output.elements());
  int64_t inPlane = 1, outPlane = 1, window = 1;
  for (size_t s = 0; s < size.size(); ++s) {
    inPlane *= size[s];
    outPlane *= outSize[s];
    window *= getKernel()[s];
  }
  for (int64_t i = 0, end = values.size(); i < end; ++i) {
    SmallVector<int64_t, 3> start(size.size());
    int64_t rest = i % outPlane;
    for (int64_t s = int64_t(size.size()) - 1; s >= 0; --s) {
      start[s] = rest % outSize[s] * getStrides()[s] - getPads()[s];
      rest /= outSize[s];
    }
    int64_t cells;
    double value = reduceWindow(getKind(), &input[i / outPlane * inPlane], size,
                                getKernel(), start, cells);
    if (getKind() == PoolKind::Avg)
      value /= double(getCountIncludePad() ? window : cells);
    values[i] = value;
  }
  storeDoubles(values, output);
  return success();
}
