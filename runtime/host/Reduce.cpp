//===- Reduce.cpp - host kernels that combine values along axes -----------===//

#include "runtime/host/Strides.h"
#include "runtime/numeric/TensorValues.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

using namespace weft;
using namespace weft::host;
using numeric::loadDoubles;
using numeric::loadIntegers;
using numeric::storeDoubles;
using numeric::storeIntegers;
using rt::Status;

namespace {
enum class Kind { Sum, Prod, Max, Min };

/// What the values of a type, from `lowest` to `highest`, are combined with
/// first.
template <class T>
T startOf(Kind kind, T lowest, T highest) {
  switch (kind) {
  case Kind::Sum:
    return 0;
  case Kind::Prod:
    return 1;
  case Kind::Max:
    return lowest;
  case Kind::Min:
    return highest;
  }
  return 0;
}

/// An integer type: how wide, and whether its values are signed. Values are
/// held in 64 bits, a ui64 as its bits.
struct Whole {
  unsigned width;
  bool isSigned;

  explicit Whole(ElementType type)
      : width(type == ElementType::Bool
                  ? 1
                  : unsigned(numeric::elementBytes(type)) * 8),
        isSigned(numeric::isSignedType(type)) {}
  int64_t lowest() const {
    return isSigned ? -int64_t(uint64_t(1) << (width - 2)) * 2 : 0;
  }
  int64_t highest() const {
    unsigned bits = width - isSigned;
    return bits == 64 ? -1 : int64_t((uint64_t(1) << bits) - 1);
  }
  bool less(int64_t a, int64_t b) const {
    return isSigned ? a < b : uint64_t(a) < uint64_t(b);
  }
  /// Of no values.
  int64_t start(Kind kind) const { return startOf(kind, lowest(), highest()); }
  int64_t combine(Kind kind, int64_t a, int64_t b) const {
    switch (kind) {
    case Kind::Sum:
      return int64_t(uint64_t(a) + uint64_t(b));
    case Kind::Prod:
      return int64_t(uint64_t(a) * uint64_t(b));
    case Kind::Max:
      return less(a, b) ? b : a;
    case Kind::Min:
      return less(b, a) ? b : a;
    }
    return 0;
  }
};

/// The same for floats, computed in f64. A NaN stays.
struct Real {
  double start(Kind kind) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return startOf(kind, -infinity, infinity);
  }
  double combine(Kind kind, double a, double b) const {
    switch (kind) {
    case Kind::Sum:
      return a + b;
    case Kind::Prod:
      return a * b;
    case Kind::Max:
      return std::isnan(a) || a >= b ? a : b;
    case Kind::Min:
      return std::isnan(a) || a <= b ? a : b;
    }
    return 0;
  }
};
} // namespace

static std::optional<Kind> kindOf(const Call &call) {
  const std::string &name = call.attributes.text("kind");
  constexpr const char *names[] = {"sum", "prod", "max", "min"};
  for (int i = 0; i < 4; ++i)
    if (name == names[i])
      return Kind(i);
  return std::nullopt;
}

/// For each element of a tensor of `shape` in row-major order, the place of its
/// result when the marked axes shrink to 1.
static std::vector<int64_t> resultPlaces(const Shape &shape,
                                         const std::vector<bool> &reduced,
                                         int64_t count) {
  int64_t rank = int64_t(shape.size()), step = 1;
  Shape steps(rank, 0), index(rank, 0);
  for (int64_t axis = rank - 1; axis >= 0; --axis) {
    if (reduced[axis])
      continue;
    steps[axis] = step;
    step *= shape[axis];
  }
  std::vector<int64_t> places(count);
  int64_t place = 0;
  for (int64_t &entry : places) {
    entry = place;
    for (int64_t axis = rank - 1; axis >= 0; --axis) {
      place += steps[axis];
      if (++index[axis] < shape[axis])
        break;
      place -= steps[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return places;
}

template <typename T, typename Arithmetic>
static std::vector<T> reduced(const std::vector<T> &input,
                              const std::vector<int64_t> &places, int64_t count,
                              Kind kind, const Arithmetic &arithmetic) {
  std::vector<T> values(count, arithmetic.start(kind));
  for (size_t i = 0; i < input.size(); ++i)
    values[places[i]] = arithmetic.combine(kind, values[places[i]], input[i]);
  return values;
}

Status host::kernels::reduce(const Call &call,
                             std::vector<HostTensor> &results) {
  const HostTensor &input = call.operand(0);
  std::optional<Kind> kind = kindOf(call);
  if (!kind)
    return call.fail("kind is '%s', must be sum, prod, max or min",
                     call.attributes.text("kind").c_str());
  int64_t rank = int64_t(input.shape().size());
  std::vector<bool> marked(rank);
  for (int64_t axis : call.attributes.integers("axes")) {
    if (axis < 0 || axis >= rank || marked[axis])
      return call.fail("axis %lld of rank %lld is out of range or repeated",
                       static_cast<long long>(axis),
                       static_cast<long long>(rank));
    marked[axis] = true;
  }
  Shape shape;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (!marked[axis])
      shape.push_back(input.shape()[axis]);
    else if (call.attributes.flag("keepdims"))
      shape.push_back(1);
  if (call.results[0].type != input.type())
    return call.fail("changes the element type; it only combines values");
  WEFT_TRY(call.addResult(std::move(shape), results));
  HostTensor &output = results.back();
  std::vector<int64_t> places =
      resultPlaces(input.shape(), marked, input.elements());
  if (numeric::isFloatType(input.type()))
    storeDoubles(
        reduced(loadDoubles(input), places, output.elements(), *kind, Real()),
        output);
  else
    storeIntegers(reduced(loadIntegers(input), places, output.elements(), *kind,
                          Whole(input.type())),
                  output);
  return Status::ok();
}

/// The kind of a call, one of two, and its axis, checked against operand 0.
static Status readKindAndAxis(const Call &call, Kind one, Kind other,
                              const char *words, Kind &kind, int64_t &axis) {
  std::optional<Kind> given = kindOf(call);
  if (given != one && given != other)
    return call.fail("kind is '%s', must be %s",
                     call.attributes.text("kind").c_str(), words);
  kind = *given;
  int64_t rank = int64_t(call.operand(0).shape().size());
  axis = call.attributes.integer("axis", -1);
  if (axis >= 0 && axis < rank)
    return Status::ok();
  return call.fail("axis is %lld, must be in 0 .. %lld",
                   static_cast<long long>(axis),
                   static_cast<long long>(rank - 1));
}

/// Index of the extreme of each line; `beats(a, b)`: a is more extreme than b.
template <typename T, typename Beats>
static std::vector<int64_t> extremes(const std::vector<T> &values,
                                     const AroundAxis &around, bool last,
                                     Beats beats) {
  std::vector<int64_t> indices;
  for (int64_t line = 0; line < around.lines(); ++line) {
    const T *first = &values[around.first(line)];
    int64_t best = 0;
    for (int64_t k = 1; k < around.size; ++k) {
      T value = first[k * around.inner], old = first[best * around.inner];
      if (beats(value, old) || (last && value == old))
        best = k;
    }
    indices.push_back(best);
  }
  return indices;
}

Status host::kernels::arg_reduce(const Call &call,
                                 std::vector<HostTensor> &results) {
  const HostTensor &input = call.operand(0);
  Kind kind;
  int64_t axis;
  WEFT_TRY(
      readKindAndAxis(call, Kind::Max, Kind::Min, "max or min", kind, axis));
  if (input.shape()[axis] == 0)
    return call.fail("axis %lld has no elements", static_cast<long long>(axis));
  if (numeric::isFloatType(call.results[0].type))
    return call.fail("an index is an integer");
  Shape shape = input.shape();
  if (call.attributes.flag("keepdims"))
    shape[axis] = 1;
  else
    shape.erase(shape.begin() + axis);
  WEFT_TRY(call.addResult(std::move(shape), results));
  AroundAxis around(input.shape(), axis);
  bool largest = kind == Kind::Max, last = call.attributes.flag("last");
  if (numeric::isFloatType(input.type())) {
    storeIntegers(extremes(loadDoubles(input), around, last,
                           [&](double a, double b) {
                             if (std::isnan(a) || std::isnan(b))
                               return !std::isnan(b);
                             return largest ? a > b : a < b;
                           }),
                  results.back());
    return Status::ok();
  }
  Whole whole(input.type());
  storeIntegers(extremes(loadIntegers(input), around, last,
                         [&](int64_t a, int64_t b) {
                           return largest ? whole.less(b, a) : whole.less(a, b);
                         }),
                results.back());
  return Status::ok();
}

/// Replaces each line by its running values.
template <typename T, typename Arithmetic>
static std::vector<T> accumulated(std::vector<T> values,
                                  const AroundAxis &around, const Call &call,
                                  Kind kind, const Arithmetic &arithmetic) {
  bool exclusive = call.attributes.flag("exclusive"),
       reverse = call.attributes.flag("reverse");
  for (int64_t line = 0; line < around.lines(); ++line) {
    T *first = &values[around.first(line)], running = arithmetic.start(kind);
    for (int64_t k = 0; k < around.size; ++k) {
      T &value = first[(reverse ? around.size - 1 - k : k) * around.inner];
      T next = arithmetic.combine(kind, running, value);
      value = exclusive ? running : next;
      running = next;
    }
  }
  return values;
}

Status host::kernels::cumulative(const Call &call,
                                 std::vector<HostTensor> &results) {
  const HostTensor &input = call.operand(0);
  Kind kind;
  int64_t axis;
  WEFT_TRY(
      readKindAndAxis(call, Kind::Sum, Kind::Prod, "sum or prod", kind, axis));
  if (call.results[0].type != input.type())
    return call.fail("changes the element type; it only combines values");
  WEFT_TRY(call.addResult(input.shape(), results));
  AroundAxis around(input.shape(), axis);
  if (numeric::isFloatType(input.type()))
    storeDoubles(accumulated(loadDoubles(input), around, call, kind, Real()),
                 results.back());
  else
    storeIntegers(accumulated(loadIntegers(input), around, call, kind,
                              Whole(input.type())),
                  results.back());
  return Status::ok();
}
