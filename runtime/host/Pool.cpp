//===- Pool.cpp - host kernels of the Pool family -------------------------===//

#include "runtime/host/Windows.h"
#include "runtime/numeric/TensorValues.h"
#include "runtime/status/Stop.h"

#include <algorithm>
#include <limits>

using namespace weft;
using namespace weft::host;
using rt::Status;

/// Maximum (NaN wins) or sum of the cells of one plane inside the window at
/// output position `at`; `cells` counts them.
static double reduceWindow(const WindowGeometry &g, bool isMax,
                           const double *plane, const int64_t at[3],
                           int64_t &cells) {
  double value = isMax ? -std::numeric_limits<double>::infinity() : 0.0;
  int64_t low[3], high[3];
  for (int axis = 0; axis < 3; ++axis) {
    int64_t start = at[axis] * g.stride[axis] - g.pad[axis];
    low[axis] = std::max<int64_t>(start, 0);
    high[axis] = std::min(start + g.kernel[axis], g.in[axis]);
  }
  cells = 0;
  for (int64_t d = low[0]; d < high[0]; ++d)
    for (int64_t h = low[1]; h < high[1]; ++h)
      for (int64_t w = low[2]; w < high[2]; ++w, ++cells) {
        double cell = plane[(d * g.in[1] + h) * g.in[2] + w];
        if (!isMax)
          value += cell;
        else if (cell > value || cell != cell)
          value = value != value ? value : cell;
      }
  return value;
}

Status host::kernels::pool(const Call &call, std::vector<HostTensor> &results) {
  const Shape &inputShape = call.operand(0).shape();
  const std::vector<int64_t> &kernel = call.attributes.integers("kernel");
  const std::string &kind = call.attributes.text("kind");
  if (inputShape.size() < 3 || kernel.size() != inputShape.size() - 2)
    return call.fail("a kernel of %zu sizes for an input of rank %zu",
                     kernel.size(), inputShape.size());
  if (kind != "max" && kind != "avg")
    return call.fail("there is no kind '%s'", kind.c_str());
  WindowGeometry g;
  WEFT_TRY(readWindow(call, kernel.data(), g));
  Shape shape = {inputShape[0], inputShape[1]};
  for (size_t axis = 5 - inputShape.size(); axis < 3; ++axis)
    shape.push_back(g.out[axis]);
  WEFT_TRY(call.addResult(std::move(shape), results));
  HostTensor &output = results.back();
  if (output.elements() == 0)
    return Status::ok();
  bool isMax = kind == "max";
  bool countsPads = call.attributes.flag("count_include_pad");
  std::vector<double> input = numeric::loadDoubles(call.operand(0));
  std::vector<double> values(output.elements());
  int64_t planes = inputShape[0] * inputShape[1], next = 0;
  for (int64_t plane = 0; plane < planes; ++plane) {
    WEFT_TRY(rt::stopStatus());
    const double *source = input.data() + plane * g.inputPlane();
    int64_t at[3];
    for (at[0] = 0; at[0] < g.out[0]; ++at[0])
      for (at[1] = 0; at[1] < g.out[1]; ++at[1])
        for (at[2] = 0; at[2] < g.out[2]; ++at[2]) {
          int64_t cells;
          double value = reduceWindow(g, isMax, source, at, cells);
          values[next++] =
              isMax ? value : value / double(countsPads ? g.window() : cells);
        }
  }
  numeric::storeDoubles(values, output);
  return Status::ok();
}
