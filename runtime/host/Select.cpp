//===- Select.cpp - host kernels that sort and pick values ----------------===//

#include "runtime/host/Strides.h"
#include "runtime/numeric/TensorValues.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace weft;
using namespace weft::host;
using rt::Status;

namespace {
/// The elements of a tensor in an order of numbers: NaN is above all others.
class Ordered {
public:
  explicit Ordered(const HostTensor &tensor)
      : isFloat(numeric::isFloatType(tensor.type())),
        isUnsigned(!numeric::isSignedType(tensor.type())) {
    if (isFloat)
      doubles = loadDoubles(tensor);
    else
      integers = loadIntegers(tensor);
  }
  bool less(int64_t a, int64_t b) const {
    if (!isFloat)
      return isUnsigned ? uint64_t(integers[a]) < uint64_t(integers[b])
                        : integers[a] < integers[b];
    double x = doubles[a], y = doubles[b];
    return x < y || (x == x && y != y);
  }
  bool isZero(int64_t a) const {
    return isFloat ? doubles[a] == 0 : integers[a] == 0;
  }

private:
  bool isFloat, isUnsigned;
  std::vector<double> doubles;
  std::vector<int64_t> integers;
};
} // namespace

static Status checkAxis(const Call &call, int64_t axis) {
  if (axis >= 0 && axis < int64_t(call.operand(0).shape().size()))
    return Status::ok();
  return call.fail("axis is %lld for a tensor of rank %zu",
                   static_cast<long long>(axis),
                   call.operand(0).shape().size());
}

static void copyElement(const HostTensor &from, int64_t source, HostTensor &to,
                        int64_t target, int64_t count = 1) {
  size_t unit = numeric::elementBytes(from.type());
  if (count > 0)
    std::memcpy(to.bytes() + target * unit, from.bytes() + source * unit,
                unit * count);
}

/// The k largest (or smallest) values of each line along `axis`, sorted; of
/// equal ones those that come first.
Status host::kernels::top_k(const Call &call,
                            std::vector<HostTensor> &results) {
  const HostTensor &input = call.operand(0);
  int64_t axis = call.attributes.integer("axis", -1);
  WEFT_TRY(checkAxis(call, axis));
  Shape shape = input.shape();
  int64_t k = call.attributes.integer("k", -1);
  if (k < 0 || k > shape[axis])
    return call.fail("k is %lld for an axis of size %lld",
                     static_cast<long long>(k),
                     static_cast<long long>(shape[axis]));
  bool isLong = call.results.back().type == ElementType::I64;
  if (call.results.size() != 2 || call.results[0].type != input.type() ||
      (!isLong && call.results[1].type != ElementType::I32))
    return call.fail("results must be values of the input's type and i64 "
                     "or i32 indices");
  AroundAxis in(shape, size_t(axis));
  shape[axis] = k;
  WEFT_TRY(call.addResult(shape, results));
  WEFT_TRY(call.addResult(shape, results));
  HostTensor &values = results[results.size() - 2], &indices = results.back();
  Ordered order(input);
  bool largest = call.attributes.integer("largest", 1) != 0;
  std::vector<int64_t> line(in.size);
  for (int64_t o = 0; o < in.outer; ++o)
    for (int64_t i = 0; i < in.inner; ++i) {
      std::iota(line.begin(), line.end(), 0);
      auto before = [&](int64_t a, int64_t b) {
        int64_t x = in.at(o, a, i), y = in.at(o, b, i);
        if (largest ? order.less(y, x) : order.less(x, y))
          return true;
        bool tie = !order.less(x, y) && !order.less(y, x);
        return tie && a < b;
      };
      std::partial_sort(line.begin(), line.begin() + k, line.end(), before);
      for (int64_t rank = 0; rank < k; ++rank) {
        int64_t target = (o * k + rank) * in.inner + i;
        copyElement(input, in.at(o, line[rank], i), values, target);
        if (isLong)
          indices.as<int64_t>()[target] = line[rank];
        else
          indices.as<int32_t>()[target] = int32_t(line[rank]);
      }
    }
  return Status::ok();
}

/// The indices of all elements that are not 0, one column each.
Status host::kernels::non_zero(const Call &call,
                               std::vector<HostTensor> &results) {
  const HostTensor &input = call.operand(0);
  if (call.results[0].type != ElementType::I64)
    return call.fail("the result must be of i64");
  Ordered values(input);
  std::vector<int64_t> found;
  for (int64_t i = 0; i < input.elements(); ++i)
    if (!values.isZero(i))
      found.push_back(i);
  Shape steps = rowMajorSteps(input.shape());
  int64_t count = int64_t(found.size()), rank = int64_t(steps.size());
  WEFT_TRY(call.addResult({rank, count}, results));
  int64_t *to = results.back().as<int64_t>();
  for (int64_t axis = 0; axis < rank; ++axis)
    for (int64_t place : found)
      *to++ = place / steps[axis] % input.shape()[axis];
  return Status::ok();
}

/// The shape of operand 0 and the attribute `axis`; without it all elements as
/// one list.
static Status readSlices(const Call &call, Shape &shape, int64_t &axis) {
  shape = call.operand(0).shape();
  if (!call.attributes.has("axis")) {
    shape = {call.operand(0).elements()};
    return Status::ok();
  }
  axis = call.attributes.integer("axis", -1);
  return checkAxis(call, axis);
}

/// The slices of `axis` (all elements as one list without it) at which the
/// condition holds.
Status host::kernels::compress(const Call &call,
                               std::vector<HostTensor> &results) {
  const HostTensor &input = call.operand(0), &condition = call.operand(1);
  Shape shape;
  int64_t axis = 0;
  WEFT_TRY(readSlices(call, shape, axis));
  if (condition.type() != ElementType::Bool || condition.shape().size() != 1 ||
      condition.elements() > shape[axis] ||
      call.results[0].type != input.type())
    return call.fail("a condition of %lld %s for an axis of size %lld",
                     static_cast<long long>(condition.elements()),
                     numeric::elementTypeName(condition.type()),
                     static_cast<long long>(shape[axis]));
  AroundAxis in(shape, size_t(axis));
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < condition.elements(); ++i)
    if (condition.bytes()[i])
      kept.push_back(i);
  shape[axis] = int64_t(kept.size());
  WEFT_TRY(call.addResult(shape, results));
  int64_t to = 0;
  for (int64_t o = 0; o < in.outer; ++o)
    for (int64_t i : kept) {
      copyElement(input, in.at(o, i, 0), results.back(), to, in.inner);
      to += in.inner;
    }
  return Status::ok();
}

namespace {
/// Compares whole slices of one axis, element by element.
class Slices {
public:
  Slices(const HostTensor &tensor, AroundAxis view)
      : order(tensor), view(view) {}
  bool less(int64_t a, int64_t b) const { return compare(a, b) < 0; }
  bool equal(int64_t a, int64_t b) const { return compare(a, b) == 0; }

private:
  int compare(int64_t a, int64_t b) const {
    for (int64_t o = 0; o < view.outer; ++o)
      for (int64_t i = 0; i < view.inner; ++i) {
        int64_t x = view.at(o, a, i), y = view.at(o, b, i);
        if (order.less(x, y))
          return -1;
        if (order.less(y, x))
          return 1;
      }
    return 0;
  }

  Ordered order;
  AroundAxis view;
};
} // namespace

/// The distinct slices of `axis` (all elements as one list without it): the
/// slices, where each comes first, for each input slice which it is, and how
/// often it comes.
Status host::kernels::unique(const Call &call,
                             std::vector<HostTensor> &results) {
  const HostTensor &input = call.operand(0);
  Shape shape;
  int64_t axis = 0;
  WEFT_TRY(readSlices(call, shape, axis));
  if (call.results.size() != 4 || call.results[0].type != input.type())
    return call.fail("there must be 4 results, the first of the input's type");
  for (size_t i = 1; i < 4; ++i)
    if (call.results[i].type != ElementType::I64)
      return call.fail("result %zu must be of i64", i);
  AroundAxis in(shape, size_t(axis));
  Slices slices(input, in);
  std::vector<int64_t> order(in.size);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return slices.less(a, b); });
  // Groups of equal slices; their first members are in ascending order inside.
  std::vector<std::vector<int64_t>> groups;
  for (int64_t slice : order) {
    if (groups.empty() || !slices.equal(groups.back().front(), slice))
      groups.emplace_back();
    groups.back().push_back(slice);
  }
  if (call.attributes.integer("sorted", 1) == 0)
    std::sort(groups.begin(), groups.end(),
              [](const auto &a, const auto &b) { return a[0] < b[0]; });
  int64_t count = int64_t(groups.size());
  Shape kept = shape;
  kept[axis] = count;
  WEFT_TRY(call.addResult(kept, results));
  WEFT_TRY(call.addResult({count}, results));
  WEFT_TRY(call.addResult({in.size}, results));
  WEFT_TRY(call.addResult({count}, results));
  HostTensor *out = &results[results.size() - 4];
  for (int64_t g = 0; g < count; ++g) {
    for (int64_t o = 0; o < in.outer; ++o)
      copyElement(input, in.at(o, groups[g][0], 0), out[0],
                  (o * count + g) * in.inner, in.inner);
    out[1].as<int64_t>()[g] = groups[g][0];
    out[3].as<int64_t>()[g] = int64_t(groups[g].size());
    for (int64_t slice : groups[g])
      out[2].as<int64_t>()[slice] = g;
  }
  return Status::ok();
}
