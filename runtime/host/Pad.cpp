//===- Pad.cpp - host kernels that repeat values --------------------------===//

#include "runtime/host/Strides.h"

#include <algorithm>
#include <cstring>

using namespace weft;
using namespace weft::host;
using rt::Status;

/// Calls visit(index, number) for every index of `shape` in row-major order.
template <class Visit>
static void eachIndex(const Shape &shape, Visit visit) {
  Shape index(shape.size(), 0);
  int64_t count = *numeric::elementCount(shape);
  for (int64_t i = 0; i < count; ++i) {
    visit(index, i);
    for (size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis])
        break;
      index[axis] = 0;
    }
  }
}

/// Unknown sizes of the result are those of the operand.
Status host::kernels::expand(const Call &call,
                             std::vector<HostTensor> &results) {
  const HostTensor &input = call.operand(0);
  Shape shape = call.results[0].shape;
  size_t rank = input.shape().size();
  for (size_t back = 1; back <= std::min(rank, shape.size()); ++back)
    if (shape[shape.size() - back] == kUnknownSize)
      shape[shape.size() - back] = input.shape()[rank - back];
  if (call.results[0].type != input.type() ||
      broadcastShapes(input.shape(), shape) != shape)
    return call.fail("%s of shape %s to %s of shape %s",
                     numeric::elementTypeName(input.type()),
                     numeric::shapeText(input.shape()).c_str(),
                     numeric::elementTypeName(call.results[0].type),
                     numeric::shapeText(call.results[0].shape).c_str());
  WEFT_TRY(call.addResult(std::move(shape), results));
  HostTensor &result = results.back();
  Shape steps = broadcastSteps(input.shape(), result.shape());
  size_t unit = numeric::elementBytes(input.type());
  eachIndex(result.shape(), [&](const Shape &index, int64_t number) {
    int64_t from = 0;
    for (size_t axis = 0; axis < index.size(); ++axis)
      from += index[axis] * steps[axis];
    std::memcpy(result.bytes() + number * unit, input.bytes() + from * unit,
                unit);
  });
  return Status::ok();
}

/// The place in an axis of `size` values from which place `at` takes its value;
/// -1 for one of the border.
static int64_t paddedFrom(const std::string &mode, int64_t at, int64_t size) {
  if (at >= 0 && at < size)
    return at;
  if (mode == "constant" || size == 0)
    return -1;
  if (mode == "edge" || size == 1)
    return at < 0 ? 0 : size - 1;
  int64_t period = mode == "wrap" ? size : 2 * (size - 1);
  int64_t place = ((at % period) + period) % period;
  return place < size ? place : period - place;
}

Status host::kernels::pad(const Call &call, std::vector<HostTensor> &results) {
  const HostTensor &input = call.operand(0);
  const std::vector<int64_t> &begins = call.attributes.integers("begins"),
                             &ends = call.attributes.integers("ends");
  const std::string &mode = call.attributes.text("mode");
  size_t rank = input.shape().size();
  if (begins.size() != rank || ends.size() != rank)
    return call.fail("%zu and %zu pads for %zu axes", begins.size(),
                     ends.size(), rank);
  static const char *const kModes[] = {"constant", "edge", "reflect", "wrap"};
  if (std::find(std::begin(kModes), std::end(kModes), mode) == std::end(kModes))
    return call.fail("mode is '%s', must be constant, edge, reflect or wrap",
                     mode.c_str());
  bool hasValue = call.hasOperand(1);
  if (hasValue != (mode == "constant") ||
      (hasValue && (call.operand(1).elements() != 1 ||
                    call.operand(1).type() != input.type())) ||
      call.results[0].type != input.type())
    return call.fail("mode %s needs %s value of the type of the input",
                     mode.c_str(), mode == "constant" ? "one" : "no");
  Shape shape = input.shape();
  for (size_t axis = 0; axis < rank; ++axis)
    if (begins[axis] < 0 || ends[axis] < 0 ||
        __builtin_add_overflow(shape[axis], begins[axis], &shape[axis]) ||
        __builtin_add_overflow(shape[axis], ends[axis], &shape[axis]))
      return call.fail("pads of axis %zu are negative or too large", axis);
  WEFT_TRY(call.addResult(shape, results));
  HostTensor &result = results.back();
  Shape steps = rowMajorSteps(input.shape());
  size_t unit = numeric::elementBytes(input.type());
  eachIndex(shape, [&](const Shape &index, int64_t number) {
    int64_t from = 0;
    for (size_t axis = 0; axis < rank && from >= 0; ++axis) {
      int64_t place =
          paddedFrom(mode, index[axis] - begins[axis], input.shape()[axis]);
      from = place < 0 ? -1 : from + place * steps[axis];
    }
    if (from >= 0)
      std::memcpy(result.bytes() + number * unit, input.bytes() + from * unit,
                  unit);
    else if (hasValue)
      std::memcpy(result.bytes() + number * unit, call.operand(1).bytes(),
                  unit);
  });
  return Status::ok();
}
