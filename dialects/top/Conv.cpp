//===- Conv.cpp - top ops of the Conv family
//--------------------------------===//

#include "dialects/top/Conv.h"
#include "dialects/top/Geometry.h"

#include "runtime/numeric/TensorValues.h"

#include <algorithm>

using namespace mlir;
using namespace weft::top;
using namespace weft;
using weft::numeric::HostTensor;

void TopDialect::registerConv() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Conv.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Conv.cpp.inc"

LogicalResult ConvOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
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
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

namespace {
/// A convolution with its spatial axes widened to three (d, h, w) by axes of
/// size 1.
struct ConvGeometry {
  int64_t batch, channels, outChannels, group;
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, kernel[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1}, pad[3] = {0, 0, 0};

  int64_t inputPlane() const { return in[0] * in[1] * in[2]; }
  int64_t outputPlane() const { return out[0] * out[1] * out[2]; }
  int64_t window() const { return kernel[0] * kernel[1] * kernel[2]; }
};
} // namespace

static ConvGeometry geometryOf(ConvOp op) {
  ArrayRef<int64_t> input = op.getInput().getType().getShape();
  ArrayRef<int64_t> filter = op.getFilter().getType().getShape();
  ArrayRef<int64_t> output = op.getType().getShape();
  ConvGeometry g;
  g.batch = input[0];
  g.channels = input[1];
  g.outChannels = filter[0];
  g.group = op.getGroupAttr().getInt();
  size_t spatial = input.size() - 2;
  bool pointwise = true;
  for (size_t s = 0; s < spatial; ++s) {
    size_t axis = 3 - spatial + s;
    g.in[axis] = input[s + 2];
    g.out[axis] = output[s + 2];
    g.kernel[axis] = filter[s + 2];
    g.stride[axis] = op.getStrides()[s];
    g.dilation[axis] = op.getDilations()[s];
    g.pad[axis] = op.getPads()[s];
    pointwise &= g.kernel[axis] == 1 && g.stride[axis] == 1 &&
                 g.pad[axis] == 0 && g.in[axis] == g.out[axis];
  }
  if (pointwise) { // one long row is faster than many short ones
    int64_t plane = g.inputPlane();
    g.in[0] = g.in[1] = g.out[0] = g.out[1] = 1;
    g.in[2] = g.out[2] = plane;
  }
  return g;
}

/// The output positions [begin, end) on `axis` whose input position for kernel
/// position `k` is inside.
static void insideRange(const ConvGeometry &g, int axis, int64_t k,
                        int64_t &begin, int64_t &end) {
  int64_t offset = k * g.dilation[axis] - g.pad[axis], stride = g.stride[axis];
  begin = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  int64_t last = g.in[axis] - 1 - offset;
  end = last < 0 ? 0 : std::min(g.out[axis], last / stride + 1);
  begin = std::min(begin, end);
}

/// sums += weight * the input plane shifted to kernel position (kd, kh, kw).
static void addShiftedPlane(const ConvGeometry &g, const double *input,
                            double weight, const int64_t position[3],
                            double *sums) {
  int64_t begin[3], end[3], offset[3];
  for (int axis = 0; axis < 3; ++axis) {
    insideRange(g, axis, position[axis], begin[axis], end[axis]);
    offset[axis] = position[axis] * g.dilation[axis] - g.pad[axis];
  }
  int64_t stride = g.stride[2];
  for (int64_t d = begin[0]; d < end[0]; ++d)
    for (int64_t h = begin[1]; h < end[1]; ++h) {
      int64_t row = ((d * g.stride[0] + offset[0]) * g.in[1] + h * g.stride[1] +
                     offset[1]) *
                    g.in[2];
      const double *source = input + (row + offset[2]);
      double *target = sums + (d * g.out[1] + h) * g.out[2];
      if (stride == 1)
        for (int64_t w = begin[2]; w < end[2]; ++w)
          target[w] += weight * source[w];
      else
        for (int64_t w = begin[2]; w < end[2]; ++w)
          target[w] += weight * source[w * stride];
    }
}

LogicalResult ConvOp::evaluate(ArrayRef<const HostTensor *> operands,
                               SmallVectorImpl<HostTensor> &results) {
  HostTensor &output = results.emplace_back(*makeHostTensor(getType()));
  ConvGeometry g = geometryOf(*this);
  std::vector<double> input = loadDoubles(*operands[0]);
  std::vector<double> filter = loadDoubles(*operands[1]);
  std::vector<double> bias = operands.size() > 2
                                 ? loadDoubles(*operands[2])
                                 : std::vector<double>(g.outChannels, 0.0);
  std::vector<double> sums(output.elements());
  int64_t groupChannels = g.channels / g.group;
  for (int64_t n = 0; n < g.batch; ++n)
    for (int64_t oc = 0; oc < g.outChannels; ++oc) {
      double *plane = sums.data() + (n * g.outChannels + oc) * g.outputPlane();
      std::fill(plane, plane + g.outputPlane(), bias[oc]);
      int64_t first = oc / (g.outChannels / g.group) * groupChannels;
      for (int64_t c = 0; c < groupChannels; ++c) {
        const double *source =
            input.data() + (n * g.channels + first + c) * g.inputPlane();
        const double *weights =
            filter.data() + (oc * groupChannels + c) * g.window();
        int64_t position[3];
        for (position[0] = 0; position[0] < g.kernel[0]; ++position[0])
          for (position[1] = 0; position[1] < g.kernel[1]; ++position[1])
            for (position[2] = 0; position[2] < g.kernel[2]; ++position[2])
              addShiftedPlane(g, source, *weights++, position, plane);
      }
    }
  storeDoubles(sums, output);
  return success();
}
