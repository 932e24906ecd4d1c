//===- Move.cpp - host kernels that only move elements --------------------===//

#include "runtime/host/Strides.h"
#include "runtime/numeric/MatrixTranspose.h"

#include <algorithm>
#include <cstring>

using namespace weft;
using namespace weft::host;
using rt::Status;

/// result[i0, i1, ..] = the operand's element at start + i0*steps[0] + ..
static void copyStrided(const HostTensor &input, int64_t start,
                        const Shape &steps, HostTensor &output) {
  size_t unit = numeric::elementBytes(input.type());
  const Shape &shape = output.shape();
  Shape index(shape.size(), 0);
  int64_t from = start;
  for (int64_t i = 0, end = output.elements(); i < end; ++i) {
    std::memcpy(output.bytes() + i * unit, input.bytes() + from * unit, unit);
    for (int64_t axis = int64_t(shape.size()) - 1; axis >= 0; --axis) {
      from += steps[axis];
      if (++index[axis] < shape[axis])
        break;
      from -= steps[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

/// Fails unless result 0 has the element type of operand 0.
static Status checkSameType(const Call &call) {
  if (call.results[0].type != call.operand(0).type())
    return call.fail("changes %s into %s; it only moves elements",
                     numeric::elementTypeName(call.operand(0).type()),
                     numeric::elementTypeName(call.results[0].type));
  return Status::ok();
}

/// One unknown size of the declared result follows from the others.
Status host::kernels::reshape(const Call &call,
                              std::vector<HostTensor> &results) {
  WEFT_TRY(checkSameType(call));
  const HostTensor &input = call.operand(0);
  Shape shape = call.results[0].shape;
  int64_t known = 1, unknownAxis = -1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] != kUnknownSize) {
      known *= shape[axis];
      continue;
    }
    if (unknownAxis >= 0)
      return call.fail("two sizes of the result are unknown; one can be");
    unknownAxis = int64_t(axis);
  }
  if (unknownAxis >= 0)
    shape[unknownAxis] = known > 0 ? input.elements() / known : 0;
  WEFT_TRY(call.addResult(std::move(shape), results));
  if (results.back().elements() != input.elements())
    return call.fail("%lld elements into shape %s",
                     static_cast<long long>(input.elements()),
                     numeric::shapeText(results.back().shape()).c_str());
  if (input.sizeBytes())
    std::memcpy(results.back().bytes(), input.bytes(), input.sizeBytes());
  return Status::ok();
}

Status host::kernels::transpose(const Call &call,
                                std::vector<HostTensor> &results) {
  WEFT_TRY(checkSameType(call));
  const Shape &inputShape = call.operand(0).shape();
  const std::vector<int64_t> &perm = call.attributes.integers("perm");
  Shape inputSteps = rowMajorSteps(inputShape), steps, shape;
  std::vector<bool> seen(inputShape.size());
  for (int64_t axis : perm) {
    if (axis < 0 || axis >= int64_t(inputShape.size()) || seen[axis])
      return call.fail("perm is no permutation of the %zu axes",
                       inputShape.size());
    seen[axis] = true;
    steps.push_back(inputSteps[axis]);
    shape.push_back(inputShape[axis]);
  }
  if (perm.size() != inputShape.size())
    return call.fail("perm has %zu values for %zu axes", perm.size(),
                     inputShape.size());
  WEFT_TRY(call.addResult(std::move(shape), results));
  const HostTensor &input = call.operand(0);
  if (perm == std::vector<int64_t>{1, 0} &&
      numeric::transposeMatrix(input.bytes(), results.back().bytes(),
                               inputShape[0], inputShape[1],
                               int64_t(numeric::elementBytes(input.type()))))
    return Status::ok();
  copyStrided(input, 0, steps, results.back());
  return Status::ok();
}

/// How many of the `size` values of an axis a walk from `first` by `step`
/// meets.
static int64_t countToEnd(int64_t first, int64_t step, int64_t size) {
  if (first < 0 || first >= size)
    return 0;
  uint64_t way = step > 0 ? size - 1 - first : first;
  uint64_t stride = step > 0 ? uint64_t(step) : 0 - uint64_t(step);
  return int64_t(way / stride) + 1;
}

/// Unknown sizes of the result run to the end of the operand's axis.
Status host::kernels::slice(const Call &call,
                            std::vector<HostTensor> &results) {
  WEFT_TRY(checkSameType(call));
  const Shape &inputShape = call.operand(0).shape();
  const std::vector<int64_t> &starts = call.attributes.integers("starts");
  const std::vector<int64_t> &strides = call.attributes.integers("steps");
  Shape shape = call.results[0].shape, steps = rowMajorSteps(inputShape);
  size_t rank = inputShape.size();
  if (shape.size() != rank || starts.size() != rank || strides.size() != rank)
    return call.fail("starts and steps need one value for each of %zu axes",
                     rank);
  int64_t start = 0;
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t size = inputShape[axis], first = starts[axis], by = strides[axis];
    if (by == 0)
      return call.fail("steps[%zu] is 0; it must not be", axis);
    if (shape[axis] == kUnknownSize)
      shape[axis] = countToEnd(first, by, size);
    int64_t span, last = first;
    bool inside = shape[axis] == 0 ||
                  (!__builtin_mul_overflow(shape[axis] - 1, by, &span) &&
                   !__builtin_add_overflow(first, span, &last) && first >= 0 &&
                   first < size && last >= 0 && last < size);
    if (!inside)
      return call.fail(
          "takes %lld values from index %lld with step %lld on "
          "axis %zu of size %lld; they must lie inside",
          static_cast<long long>(shape[axis]), static_cast<long long>(first),
          static_cast<long long>(by), axis, static_cast<long long>(size));
    if (shape[axis] > 0)
      start += first * steps[axis];
    steps[axis] = shape[axis] > 1 ? steps[axis] * by : 0;
  }
  WEFT_TRY(call.addResult(std::move(shape), results));
  copyStrided(call.operand(0), start, steps, results.back());
  return Status::ok();
}

/// One axis of a slice as ONNX Slice-13 says.
static void narrow(int64_t start, int64_t end, int64_t step, int64_t &size,
                   int64_t &first) {
  start += start < 0 ? size : 0;
  end += end < 0 ? size : 0;
  int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  start = std::min(std::max<int64_t>(start, 0), std::max<int64_t>(high, 0));
  end = std::min(std::max(end, low), std::max(high, low));
  uint64_t span = step > 0 ? (end > start ? end - start : 0)
                           : (start > end ? start - end : 0);
  uint64_t stride = step > 0 ? uint64_t(step) : 0 - uint64_t(step);
  size = span && size > 0 ? int64_t((span - 1) / stride) + 1 : 0;
  first = size ? start : 0;
}

Status host::kernels::slice_range(const Call &call,
                                  std::vector<HostTensor> &results) {
  WEFT_TRY(checkSameType(call));
  const HostTensor &input = call.operand(0);
  std::vector<std::vector<int64_t>> lists; // starts, ends, axes, steps
  for (size_t i = 1; i <= 4; ++i) {
    const HostTensor &list = call.operand(i);
    bool isWide = list.type() == ElementType::I64;
    if (list.shape().size() > 1 ||
        (!isWide && list.type() != ElementType::I32) ||
        list.elements() != call.operand(1).elements())
      return call.fail("operand %zu is %s %s; starts, ends, axes and steps are "
                       "lists of equally many integers",
                       i, numeric::elementTypeName(list.type()),
                       numeric::shapeText(list.shape()).c_str());
    lists.emplace_back();
    for (int64_t k = 0; k < list.elements(); ++k)
      lists.back().push_back(isWide ? list.as<int64_t>()[k]
                                    : list.as<int32_t>()[k]);
  }
  Shape shape = input.shape(), steps = rowMajorSteps(shape);
  std::vector<bool> seen(shape.size());
  int64_t from = 0;
  for (size_t k = 0; k < lists[0].size(); ++k) {
    int64_t axis = lists[2][k], step = lists[3][k], first = 0;
    if (axis < 0 || axis >= int64_t(shape.size()) || seen[axis] || step == 0)
      return call.fail("axis %lld with step %lld of rank %zu",
                       static_cast<long long>(axis),
                       static_cast<long long>(step), shape.size());
    seen[axis] = true;
    narrow(lists[0][k], lists[1][k], step, shape[axis], first);
    from += first * steps[axis];
    steps[axis] = shape[axis] > 1 ? steps[axis] * step : 0;
  }
  WEFT_TRY(call.addResult(std::move(shape), results));
  copyStrided(input, from, steps, results.back());
  return Status::ok();
}

Status host::kernels::shape_of(const Call &call,
                               std::vector<HostTensor> &results) {
  const Shape &shape = call.operand(0).shape();
  int64_t rank = int64_t(shape.size()),
          first = call.attributes.integer("start"),
          last = call.attributes.integer("end", rank);
  if (first < 0 || last < first || last > rank ||
      call.results[0].type != ElementType::I64)
    return call.fail(
        "axes %lld to %lld of rank %lld", static_cast<long long>(first),
        static_cast<long long>(last), static_cast<long long>(rank));
  WEFT_TRY(call.addResult({last - first}, results));
  std::copy(shape.begin() + first, shape.begin() + last,
            results.back().as<int64_t>());
  return Status::ok();
}

Status host::kernels::concat(const Call &call,
                             std::vector<HostTensor> &results) {
  WEFT_TRY(checkSameType(call));
  int64_t axis = call.attributes.integer("axis", -1);
  Shape shape = call.operand(0).shape();
  if (axis < 0 || axis >= int64_t(shape.size()))
    return call.fail("axis %lld of a tensor of rank %zu",
                     static_cast<long long>(axis), shape.size());
  for (size_t i = 1; i < call.operands.size(); ++i) {
    if (!call.hasOperand(i))
      return call.fail("operand %zu is absent but required", i);
    Shape other = call.operand(i).shape(), first = call.operand(0).shape();
    int64_t size = other.size() == first.size() ? other[axis] : -1;
    if (size >= 0)
      other[axis] = first[axis];
    if (call.operand(i).type() != call.operand(0).type() || other != first ||
        __builtin_add_overflow(shape[axis], size, &shape[axis]))
      return call.fail("operand %zu does not fit to operand 0 on axis %lld", i,
                       static_cast<long long>(axis));
  }
  WEFT_TRY(call.addResult(shape, results));
  if (results.back().elements() == 0)
    return Status::ok();
  int64_t outer = 1;
  for (int64_t i = 0; i < axis; ++i)
    outer *= shape[i];
  uint8_t *target = results.back().bytes();
  // Each outer index holds one contiguous run of bytes of every operand.
  for (int64_t i = 0; i < outer; ++i)
    for (const HostTensor *operand : call.operands) {
      size_t run = operand->sizeBytes() / outer;
      if (run)
        std::memcpy(target, operand->bytes() + i * run, run);
      target += run;
    }
  return Status::ok();
}
