//===- Conv.cpp - host kernels of the Conv family -------------------------===//

#include "runtime/host/Windows.h"
#include "runtime/numeric/TensorValues.h"
#include "runtime/status/Stop.h"

#include <algorithm>

using namespace weft;
using namespace weft::host;
using rt::Status;

/// Sizes beyond this would overflow the index arithmetic.
static constexpr int64_t kLargestGeometry = int64_t(1) << 31;

static bool isWithin(const std::vector<int64_t> &values, size_t count,
                     int64_t smallest) {
  return values.size() == count &&
         std::all_of(values.begin(), values.end(), [&](int64_t value) {
           return value >= smallest && value <= kLargestGeometry;
         });
}

Status host::readWindow(const Call &call, const int64_t *kernel,
                        WindowGeometry &g) {
  const Shape &input = call.operand(0).shape();
  if (input.size() < 3 || input.size() > 5)
    return call.fail("an input of rank %zu; it must be 3, 4 or 5",
                     input.size());
  size_t spatial = input.size() - 2;
  const std::vector<int64_t> &strides = call.attributes.integers("strides");
  const std::vector<int64_t> &pads = call.attributes.integers("pads");
  std::vector<int64_t> dilations = call.attributes.integers("dilations");
  if (dilations.empty())
    dilations.assign(spatial, 1);
  if (!isWithin(strides, spatial, 1) || !isWithin(pads, 2 * spatial, 0) ||
      !isWithin(dilations, spatial, 1))
    return call.fail("strides, pads or dilations do not fit %zu spatial axes",
                     spatial);
  for (size_t s = 0; s < spatial; ++s) {
    size_t axis = 3 - spatial + s;
    if (kernel[s] < 1 || kernel[s] > kLargestGeometry ||
        input[s + 2] > kLargestGeometry)
      return call.fail("a kernel of size %lld on spatial axis %zu",
                       static_cast<long long>(kernel[s]), s);
    int64_t window = dilations[s] * (kernel[s] - 1) + 1;
    int64_t padded = input[s + 2] + pads[s] + pads[spatial + s];
    if (window > padded)
      return call.fail("the kernel spans %lld values on spatial axis %zu but "
                       "the padded input has %lld",
                       static_cast<long long>(window), s,
                       static_cast<long long>(padded));
    g.in[axis] = input[s + 2];
    g.out[axis] = (padded - window) / strides[s] + 1;
    g.kernel[axis] = kernel[s];
    g.stride[axis] = strides[s];
    g.dilation[axis] = dilations[s];
    g.pad[axis] = pads[s];
  }
  return Status::ok();
}

/// The output positions [begin, end) on `axis` whose input position for kernel
/// position `k` is inside.
static void insideRange(const WindowGeometry &g, int axis, int64_t k,
                        int64_t &begin, int64_t &end) {
  int64_t offset = k * g.dilation[axis] - g.pad[axis], stride = g.stride[axis];
  begin = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  int64_t last = g.in[axis] - 1 - offset;
  end = last < 0 ? 0 : std::min(g.out[axis], last / stride + 1);
  begin = std::min(begin, end);
}

/// sums += weight * the input plane shifted to kernel position (kd, kh, kw).
static void addShiftedPlane(const WindowGeometry &g, const double *input,
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
      for (int64_t w = begin[2]; w < end[2]; ++w)
        target[w] += weight * source[w * stride];
    }
}

/// A window of one element that moves by one: one long row is faster than many
/// short ones.
static void flattenPointwise(WindowGeometry &g) {
  for (int axis = 0; axis < 3; ++axis)
    if (g.kernel[axis] != 1 || g.stride[axis] != 1 || g.pad[axis] != 0 ||
        g.in[axis] != g.out[axis])
      return;
  int64_t plane = g.inputPlane();
  g.in[0] = g.in[1] = g.out[0] = g.out[1] = 1;
  g.in[2] = g.out[2] = plane;
}

Status host::kernels::conv(const Call &call, std::vector<HostTensor> &results) {
  const Shape &inputShape = call.operand(0).shape();
  const Shape &filterShape = call.operand(1).shape();
  if (filterShape.size() != inputShape.size() || inputShape.size() < 3)
    return call.fail("input of rank %zu, filter of rank %zu", inputShape.size(),
                     filterShape.size());
  WindowGeometry g;
  WEFT_TRY(readWindow(call, filterShape.data() + 2, g));
  int64_t group = call.attributes.integer("group", 1);
  int64_t channels = inputShape[1], outChannels = filterShape[0];
  if (group < 1 || channels % group || outChannels % group ||
      filterShape[1] != channels / group ||
      (call.hasOperand(2) && call.operand(2).elements() != outChannels))
    return call.fail("%lld groups of %lld channels do not fit filter and bias",
                     static_cast<long long>(group),
                     static_cast<long long>(channels));
  Shape shape = {inputShape[0], outChannels};
  for (size_t axis = 5 - inputShape.size(); axis < 3; ++axis)
    shape.push_back(g.out[axis]);
  WEFT_TRY(call.addResult(std::move(shape), results));
  if (results.back().elements() == 0)
    return Status::ok();
  flattenPointwise(g);
  std::vector<double> input = numeric::loadDoubles(call.operand(0));
  std::vector<double> filter = numeric::loadDoubles(call.operand(1));
  std::vector<double> bias(outChannels, 0.0);
  if (call.hasOperand(2))
    bias = numeric::loadDoubles(call.operand(2));
  std::vector<double> sums(results.back().elements());
  int64_t groupChannels = channels / group;
  for (int64_t n = 0; n < inputShape[0]; ++n)
    for (int64_t oc = 0; oc < outChannels; ++oc) {
      double *plane = sums.data() + (n * outChannels + oc) * g.outputPlane();
      std::fill(plane, plane + g.outputPlane(), bias[oc]);
      int64_t first = oc / (outChannels / group) * groupChannels;
      for (int64_t c = 0; c < groupChannels; ++c) {
        WEFT_TRY(rt::stopStatus());
        const double *source =
            input.data() + (n * channels + first + c) * g.inputPlane();
        const double *weights =
            filter.data() + (oc * groupChannels + c) * g.window();
        int64_t position[3];
        for (position[0] = 0; position[0] < g.kernel[0]; ++position[0])
          for (position[1] = 0; position[1] < g.kernel[1]; ++position[1])
            for (position[2] = 0; position[2] < g.kernel[2]; ++position[2])
              addShiftedPlane(g, source, *weights++, position, plane);
      }
    }
  numeric::storeDoubles(sums, results.back());
  return Status::ok();
}
