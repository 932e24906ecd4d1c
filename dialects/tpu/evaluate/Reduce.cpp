//===- Reduce.cpp - evaluation of the Reduce family -----------------------===//

#include "dialects/tpu/Reduce.h"

#include "dialects/tpu/evaluate/Numbers.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

namespace {
/// A 4-D tensor as lines along one axis.
struct Lines {
  int64_t outer = 1, size, inner = 1;

  Lines(Value tensor, int64_t axis) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(tensor.getType()).getShape();
    size = shape[axis];
    for (int64_t before : shape.take_front(axis))
      outer *= before;
    for (int64_t after : shape.drop_front(axis + 1))
      inner *= after;
  }
  int64_t count() const { return outer * inner; }
  /// Element `k` of line `i`.
  int64_t at(int64_t i, int64_t k) const {
    return (i / inner * size + k) * inner + i % inner;
  }
};
} // namespace

static double combine(ReduceKind kind, double a, double b) {
  switch (kind) {
  case ReduceKind::Sum:
    return a + b;
  case ReduceKind::Prod:
    return a * b;
  case ReduceKind::Max:
    return a > b ? a : b;
  case ReduceKind::Min:
    return a < b ? a : b;
  }
  llvm_unreachable("covered switch");
}

static int64_t combine(ReduceKind kind, int64_t a, int64_t b) {
  switch (kind) {
  case ReduceKind::Sum:
    return static_cast<int64_t>(static_cast<uint64_t>(a) + b);
  case ReduceKind::Prod:
    return static_cast<int64_t>(static_cast<uint64_t>(a) * b);
  case ReduceKind::Max:
    return std::max(a, b);
  case ReduceKind::Min:
    return std::min(a, b);
  }
  llvm_unreachable("covered switch");
}

/// The low bits of each value as a number of `element`.
static void wrap(std::vector<int64_t> &values, Type element) {
  unsigned free = 64 - elementBytes(element) * 8;
  for (int64_t &value : values)
    value =
        element.isUnsignedInteger()
            ? static_cast<int64_t>(static_cast<uint64_t>(value) << free >> free)
            : static_cast<int64_t>(static_cast<uint64_t>(value) << free) >>
                  free;
}

static void storeRounded(Value output, const std::vector<double> &values,
                         Results &results) {
  std::vector<float> floats;
  for (double value : values)
    floats.push_back(roundTo(elementOf(output), value));
  storeFloats(output, floats, results);
}

template <typename T>
static std::vector<T> reduceLines(ReduceKind kind, const std::vector<T> &input,
                                  const Lines &lines) {
  std::vector<T> values;
  for (int64_t i = 0; i < lines.count(); ++i) {
    T value = input[lines.at(i, 0)];
    for (int64_t k = 1; k < lines.size; ++k)
      value = combine(kind, value, input[lines.at(i, k)]);
    values.push_back(value);
  }
  return values;
}

LogicalResult ReduceOp::evaluate(Operands operands, Results &results) {
  Lines lines(getInput(), getAxis());
  Type element = elementOf(getInput());
  if (llvm::isa<FloatType>(element)) {
    storeRounded(getOutput(),
                 reduceLines(getKind(), loadDoubles(*operands[0]), lines),
                 results);
    return success();
  }
  std::vector<int64_t> values =
      reduceLines(getKind(), loadIntegers(*operands[0]), lines);
  wrap(values, element);
  storeStored(getOutput(), values, results);
  return success();
}

LogicalResult ChannelSumOp::evaluate(Operands operands, Results &results) {
  std::vector<double> input = loadDoubles(*operands[0]);
  Type narrow = BFloat16Type::get(getContext());
  if (getTerms())
    for (double &value : input) {
      double head = roundTo(narrow, value);
      value = *getTerms() == 1 ? head : head + roundTo(narrow, value - head);
    }
  storeRounded(getOutput(),
               reduceLines(ReduceKind::Sum, input, Lines(getInput(), kAxisC)),
               results);
  return success();
}

LogicalResult ArgReduceOp::evaluate(Operands operands, Results &results) {
  Lines lines(getInput(), getAxis());
  int64_t piece = lines.size, pieces = 1;
  if (getOverLanes()) { // h is 1: a line is the whole image
    pieces = dimsOf(getInput())[kAxisC];
    lines.size *= pieces;
    lines.outer /= pieces;
  }
  std::vector<double> input = loadDoubles(*operands[0]),
                      codes = loadDoubles(*operands[1]),
                      extremes = reduceLines(getKind(), input, lines);
  auto isBeyond = [&](double extreme, double value) {
    return getKind() == ReduceKind::Max ? extreme > value : extreme < value;
  };
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < lines.count(); ++i) {
    double code = 0;
    for (int64_t k = 0; k < lines.size; ++k)
      if (!isBeyond(extremes[i], input[lines.at(i, k)]))
        code = std::max(
            code, codes[k % piece] +
                      double(getLast() ? k / piece * piece
                                       : (pieces - 1 - k / piece) * piece));
    indices.push_back(
        static_cast<int64_t>(getLast() ? code - 1 : lines.size - code));
  }
  storeStored(getOutput(), indices, results);
  return success();
}

template <typename T>
static void accumulateLines(ReduceKind kind, std::vector<T> &values,
                            const Lines &lines, bool exclusive, bool reverse) {
  for (int64_t i = 0; i < lines.count(); ++i) {
    T running = kind == ReduceKind::Prod ? 1 : 0;
    for (int64_t k = 0; k < lines.size; ++k) {
      T &value = values[lines.at(i, reverse ? lines.size - 1 - k : k)];
      T next = combine(kind, running, value);
      value = exclusive ? running : next;
      running = next;
    }
  }
}

LogicalResult CumulativeOp::evaluate(Operands operands, Results &results) {
  Lines lines(getInput(), getAxis());
  Type element = elementOf(getInput());
  if (element.isF32()) {
    std::vector<double> values = loadDoubles(*operands[0]);
    accumulateLines(getKind(), values, lines, getExclusive(), getReverse());
    storeRounded(getOutput(), values, results);
    return success();
  }
  std::vector<int64_t> values = loadIntegers(*operands[0]);
  accumulateLines(getKind(), values, lines, getExclusive(), getReverse());
  wrap(values, element);
  storeStored(getOutput(), values, results);
  return success();
}
