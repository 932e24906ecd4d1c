//===- Compose.cpp - chains of top ops for one ONNX node ------------------===//

#include "frontend/onnx/Compose.h"

#include "runtime/numeric/TensorValues.h"
#include "dialects/top/Binary.h"
#include "dialects/top/Cast.h"
#include "dialects/top/MatMul.h"
#include "dialects/top/Move.h"
#include "dialects/top/Unary.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

Value Compose::numbers(ArrayRef<double> values, ArrayRef<int64_t> shape,
                       Type element) {
  auto type = RankedTensorType::get(shape, element);
  if (values.size() == 1) {
    mlir::Attribute value =
        isa<FloatType>(element)
            ? mlir::Attribute(n.builder.getFloatAttr(element, values[0]))
            : n.builder.getIntegerAttr(element, int64_t(values[0]));
    return n.constant(DenseElementsAttr::get(type, value));
  }
  numeric::HostTensor tensor = *makeHostTensor(type);
  storeDoubles(std::vector<double>(values.begin(), values.end()), tensor);
  return n.constant(toElementsAttr(tensor, type, n.node.name));
}

Value Compose::number(double value, Value like) {
  return numbers(value, {}, elementOf(like));
}

Value Compose::binary(top::BinaryKind kind, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return {};
  return orNull(n.create<top::BinaryOp>(kind, lhs, rhs));
}

Value Compose::unary(top::UnaryKind kind, Value value) {
  if (!value)
    return {};
  return orNull(n.create<top::UnaryOp>(kind, value, FloatAttr(), FloatAttr()));
}

Value Compose::cast(Value value, Type element) {
  if (!value || elementOf(value) == element)
    return value;
  return orNull(n.createTyped<top::CastOp>(
      RankedTensorType::get(shapeOf(value), element), value));
}

Value Compose::reshape(Value value, ArrayRef<int64_t> shape) {
  return value ? orNull(n.reshape(value, shape)) : Value();
}

Value Compose::transpose(Value value, ArrayRef<int64_t> perm) {
  if (!value)
    return {};
  if (llvm::is_sorted(perm))
    return value;
  return orNull(n.create<top::TransposeOp>(value, perm));
}

Value Compose::concat(ArrayRef<Value> values, int64_t axis) {
  if (llvm::is_contained(values, Value()))
    return {};
  if (values.size() == 1)
    return values.front();
  return orNull(n.create<top::ConcatOp>(ValueRange(values), axis));
}

Value Compose::slice(Value value, ArrayRef<int64_t> starts,
                     ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps) {
  if (!value)
    return {};
  if (shapeOf(value) == sizes &&
      llvm::all_of(steps, [](int64_t step) { return step == 1; }))
    return value;
  return orNull(n.createTyped<top::SliceOp>(
      NodeImporter::typeOf(value).clone(sizes), value, starts, steps));
}

Value Compose::sliceAxis(Value value, int64_t axis, int64_t start, int64_t size,
                         int64_t step) {
  if (!value)
    return {};
  SmallVector<int64_t> sizes(shapeOf(value)), starts(sizes.size(), 0),
      steps(sizes.size(), 1);
  starts[axis] = start;
  sizes[axis] = size;
  steps[axis] = step;
  return slice(value, starts, sizes, steps);
}

Value Compose::pad(Value value, ArrayRef<int64_t> begin, ArrayRef<int64_t> end,
                   double fill) {
  for (int64_t axis = 0, rank = begin.size(); value && axis < rank; ++axis) {
    SmallVector<int64_t> shape(shapeOf(value));
    int64_t cutBegin = std::max<int64_t>(-begin[axis], 0),
            cutEnd = std::max<int64_t>(-end[axis], 0);
    int64_t kept = std::max<int64_t>(shape[axis] - cutBegin - cutEnd, 0);
    value = sliceAxis(value, axis, kept ? cutBegin : 0, kept);
    if (!value)
      break;
    SmallVector<Value> parts;
    auto border = [&](int64_t size) {
      shape[axis] = size;
      if (size > 0)
        parts.push_back(numbers(fill, shape, elementOf(value)));
    };
    border(begin[axis]);
    if (kept || (begin[axis] <= 0 && end[axis] <= 0))
      parts.push_back(value);
    border(end[axis]);
    value = concat(parts, axis);
  }
  return value;
}

Value Compose::matmul(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return {};
  return orNull(n.create<top::MatMulOp>(lhs, rhs));
}

LogicalResult Compose::finish(Value value, unsigned i) {
  return value ? n.setOutput(i, value) : failure();
}
