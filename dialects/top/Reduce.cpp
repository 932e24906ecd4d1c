//===- Reduce.cpp - top ops of the Reduce family --------------------------===//

#include "dialects/top/Reduce.h"

#include "dialects/TensorValues.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace weft::top;
using namespace weft;
using weft::numeric::HostTensor;

void TopDialect::registerReduce() {
  addOperations<
#define GET_OP_LIST
#include "dialects/top/Reduce.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "dialects/top/Reduce.cpp.inc"

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  ArrayRef<int64_t> axes = adaptor.getAxes();
  bool ordered = std::adjacent_find(axes.begin(), axes.end(),
                                    std::greater_equal<>()) == axes.end();
  if (!input || !ordered ||
      (!axes.empty() &&
       (axes.front() < 0 || axes.back() >= input.getRank()))) // (C1)
    return emitOptionalError(location, "reduction of ",
                             adaptor.getInput().getType(),
                             "; its axes must ascend within 0 .. rank-1");
  bool sums = adaptor.getKind() == ReduceKind::Sum ||
              adaptor.getKind() == ReduceKind::Prod;
  if (sums && input.getElementType().isInteger(1)) // (C2)
    return emitOptionalError(location, stringifyReduceKind(adaptor.getKind()),
                             " of bools; cast them to numbers");
  SmallVector<int64_t> shape;
  for (auto [axis, size] : llvm::enumerate(input.getShape()))
    if (!llvm::is_contained(axes, int64_t(axis)))
      shape.push_back(size);
    else if (adaptor.getKeepdims())
      shape.push_back(1);
  types.push_back(RankedTensorType::get(shape, input.getElementType()));
  return success();
}

/// (C1) of the ops with one axis.
static LogicalResult checkAxis(std::optional<Location> location,
                               RankedTensorType input, int64_t axis) {
  if (input && axis >= 0 && axis < input.getRank())
    return success();
  return emitOptionalError(location, "axis ", axis, " of ", input,
                           "; it must be in 0 .. rank-1");
}

LogicalResult ArgReduceOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  int64_t axis = adaptor.getAxisAttr().getInt();
  if (failed(checkAxis(location, input, axis)))
    return failure();
  if (input.getDimSize(axis) == 0) // (C1)
    return emitOptionalError(location, "index of an extreme value along axis ",
                             axis, " of ", input, ", which has no elements");
  if (adaptor.getKind() != ReduceKind::Max &&
      adaptor.getKind() != ReduceKind::Min) // (C2)
    return emitOptionalError(location, "an index needs the kind max or min");
  SmallVector<int64_t> shape(input.getShape());
  if (adaptor.getKeepdims())
    shape[axis] = 1;
  else
    shape.erase(shape.begin() + axis);
  types.push_back(RankedTensorType::get(shape, IntegerType::get(context, 64)));
  return success();
}

LogicalResult CumulativeOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> location,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  if (failed(checkAxis(location, input, adaptor.getAxisAttr().getInt())))
    return failure();
  if (adaptor.getKind() != ReduceKind::Sum &&
      adaptor.getKind() != ReduceKind::Prod) // (C2)
    return emitOptionalError(location, "running values need sum or prod");
  types.push_back(input);
  return success();
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// What a reduction starts from.
static double startOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return 0;
  case ReduceKind::Prod:
    return 1;
  case ReduceKind::Max:
    return -std::numeric_limits<double>::infinity();
  case ReduceKind::Min:
    return std::numeric_limits<double>::infinity();
  }
  llvm_unreachable("covered switch");
}

static double combine(ReduceKind kind, double a, double b) {
  switch (kind) {
  case ReduceKind::Sum:
    return a + b;
  case ReduceKind::Prod:
    return a * b;
  case ReduceKind::Max:
    return std::isnan(a) || a >= b ? a : b;
  case ReduceKind::Min:
    return std::isnan(a) || a <= b ? a : b;
  }
  llvm_unreachable("covered switch");
}

namespace {
/// An integer type: how wide, and whether its values are signed. Values are
/// held in 64 bits, a ui64 as its bits.
struct Whole {
  unsigned width;
  bool isSigned;

  explicit Whole(Type element)
      : width(element.getIntOrFloatBitWidth()),
        isSigned(!element.isUnsignedInteger() && width > 1) {}
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
  int64_t start(ReduceKind kind) const {
    switch (kind) {
    case ReduceKind::Sum:
      return 0;
    case ReduceKind::Prod:
      return 1;
    case ReduceKind::Max:
      return lowest();
    case ReduceKind::Min:
      return highest();
    }
    llvm_unreachable("covered switch");
  }
  int64_t combine(ReduceKind kind, int64_t a, int64_t b) const {
    switch (kind) {
    case ReduceKind::Sum:
      return int64_t(uint64_t(a) + uint64_t(b));
    case ReduceKind::Prod:
      return int64_t(uint64_t(a) * uint64_t(b));
    case ReduceKind::Max:
      return less(a, b) ? b : a;
    case ReduceKind::Min:
      return less(b, a) ? b : a;
    }
    llvm_unreachable("covered switch");
  }
};
} // namespace

/// For each element of a tensor of `shape` in row-major order, the place of its
/// result when the axes marked in `reduced` shrink to 1.
static std::vector<int64_t> resultPlaces(ArrayRef<int64_t> shape,
                                         ArrayRef<int64_t> axes) {
  int64_t rank = shape.size(), step = 1, count = 1;
  SmallVector<int64_t> steps(rank, 0), index(rank, 0);
  for (int64_t axis = rank - 1; axis >= 0; --axis) {
    count *= shape[axis];
    if (llvm::is_contained(axes, axis))
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

LogicalResult ReduceOp::evaluate(ArrayRef<const HostTensor *> operands,
                                 SmallVectorImpl<HostTensor> &results) {
  HostTensor &output = results.emplace_back(*makeHostTensor(getType()));
  auto type = cast<RankedTensorType>(getInput().getType());
  std::vector<int64_t> places = resultPlaces(type.getShape(), getAxes());
  ReduceKind kind = getKind();
  if (isa<FloatType>(type.getElementType())) {
    std::vector<double> input = loadDoubles(*operands[0]),
                        values(output.elements(), startOf(kind));
    for (size_t i = 0; i < input.size(); ++i)
      values[places[i]] = combine(kind, values[places[i]], input[i]);
    storeDoubles(values, output);
    return success();
  }
  Whole whole(type.getElementType());
  std::vector<int64_t> input = loadIntegers(*operands[0]),
                       values(output.elements(), whole.start(kind));
  for (size_t i = 0; i < input.size(); ++i)
    values[places[i]] = whole.combine(kind, values[places[i]], input[i]);
  storeIntegers(values, output);
  return success();
}

namespace {
/// A tensor as outer x size x inner around one axis.
struct AroundAxis {
  int64_t outer = 1, size = 1, inner = 1;

  AroundAxis(ArrayRef<int64_t> shape, int64_t axis) : size(shape[axis]) {
    for (int64_t before : shape.take_front(axis))
      outer *= before;
    for (int64_t after : shape.drop_front(axis + 1))
      inner *= after;
  }
  int64_t lines() const { return outer * inner; }
  /// Element 0 of line `i`; its elements are `inner` apart.
  int64_t first(int64_t i) const {
    return i / inner * size * inner + i % inner;
  }
};
} // namespace

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

LogicalResult ArgReduceOp::evaluate(ArrayRef<const HostTensor *> operands,
                                    SmallVectorImpl<HostTensor> &results) {
  HostTensor &output = results.emplace_back(*makeHostTensor(getType()));
  auto type = cast<RankedTensorType>(getInput().getType());
  AroundAxis around(type.getShape(), getAxisAttr().getInt());
  bool largest = getKind() == ReduceKind::Max;
  if (isa<FloatType>(type.getElementType())) {
    storeIntegers(extremes(loadDoubles(*operands[0]), around, getLast(),
                           [&](double a, double b) {
                             if (std::isnan(a) || std::isnan(b))
                               return !std::isnan(b);
                             return largest ? a > b : a < b;
                           }),
                  output);
    return success();
  }
  Whole whole(type.getElementType());
  storeIntegers(extremes(loadIntegers(*operands[0]), around, getLast(),
                         [&](int64_t a, int64_t b) {
                           return largest ? whole.less(b, a) : whole.less(a, b);
                         }),
                output);
  return success();
}

/// Replaces each line by its running values.
template <typename T, typename Combine>
static void accumulate(std::vector<T> &values, const AroundAxis &around,
                       bool exclusive, bool reverse, T start, Combine combine) {
  for (int64_t line = 0; line < around.lines(); ++line) {
    T *first = &values[around.first(line)], running = start;
    for (int64_t k = 0; k < around.size; ++k) {
      T &value = first[(reverse ? around.size - 1 - k : k) * around.inner];
      T next = combine(running, value);
      value = exclusive ? running : next;
      running = next;
    }
  }
}

LogicalResult CumulativeOp::evaluate(ArrayRef<const HostTensor *> operands,
                                     SmallVectorImpl<HostTensor> &results) {
  HostTensor &output = results.emplace_back(*makeHostTensor(getType()));
  auto type = cast<RankedTensorType>(getInput().getType());
  AroundAxis around(type.getShape(), getAxisAttr().getInt());
  ReduceKind kind = getKind();
  if (isa<FloatType>(type.getElementType())) {
    std::vector<double> values = loadDoubles(*operands[0]);
    accumulate(values, around, getExclusive(), getReverse(), startOf(kind),
               [&](double a, double b) { return combine(kind, a, b); });
    storeDoubles(values, output);
    return success();
  }
  Whole whole(type.getElementType());
  std::vector<int64_t> values = loadIntegers(*operands[0]);
  accumulate(values, around, getExclusive(), getReverse(), whole.start(kind),
             [&](int64_t a, int64_t b) { return whole.combine(kind, a, b); });
  storeIntegers(values, output);
  return success();
}
