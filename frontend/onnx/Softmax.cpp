//===- Softmax.cpp - ONNX rows of the Softmax family ----------------------===//

#include "dialects/top/Softmax.h"

#include "dialects/top/Reduce.h"
#include "frontend/onnx/Compose.h"
#include "frontend/onnx/OpRows.h"

#include <numeric>

using namespace mlir;
using namespace weft;
using namespace weft::onnx;
using top::ReduceKind;
using top::UnaryKind;

static Value softmax(Compose &c, Value value, int64_t axis) {
  return c.orNull(c.n.create<top::SoftmaxOp>(value, axis));
}

/// x - max - log(sum(exp(x - max))).
static Value logSoftmax(Compose &c, Value value, int64_t axis) {
  Value centred = c.sub(value, c.reduce(ReduceKind::Max, value, {axis}, true));
  Value sum =
      c.reduce(ReduceKind::Sum, c.unary(UnaryKind::Exp, centred), {axis}, true);
  return c.sub(centred, c.unary(UnaryKind::Log, sum));
}

/// 1 at the first maximum, 0 elsewhere.
static Value hardmax(Compose &c, Value value, int64_t axis) {
  ArrayRef<int64_t> shape = c.shapeOf(value);
  if (shape[axis] == 0)
    return value;
  if (failed(c.n.checkTable(shape[axis])))
    return {};
  Value index = c.orNull(c.n.create<top::ArgReduceOp>(
      ReduceKind::Max, value, axis, /*keepdims=*/true, /*last=*/false));
  SmallVector<int64_t> counted(shape[axis]), countShape(shape.size(), 1);
  std::iota(counted.begin(), counted.end(), 0);
  countShape[axis] = shape[axis];
  Value indices = c.n.intConstant(counted, countShape);
  return c.cast(c.binary(top::BinaryKind::Equal, index, indices),
                c.elementOf(value));
}

using Build = Value (*)(Compose &, Value, int64_t);

/// Opsets up to 12: the axes from `axis` on are taken together as one row.
template <Build build>
static LogicalResult importRows(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  FailureOr<int64_t> axis = n.axisAttribute(1, shape.size());
  if (failed(axis))
    return failure();
  Compose c(n);
  bool oneAxis = llvm::all_of(shape.drop_front(*axis + 1),
                              [](int64_t size) { return size == 1; });
  if (oneAxis)
    return c.finish(build(c, *input, *axis));
  int64_t rows = *countElements(shape.take_front(*axis));
  int64_t columns = *countElements(shape.drop_front(*axis));
  Value matrix = c.reshape(*input, {rows, columns});
  return c.finish(matrix ? c.reshape(build(c, matrix, 1), shape) : Value());
}

/// Opsets from 13 on: along one axis.
template <Build build>
static LogicalResult importAxis(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  FailureOr<int64_t> axis = n.axisAttribute(-1, n.typeOf(*input).getRank());
  if (failed(axis))
    return failure();
  Compose c(n);
  return c.finish(build(c, *input, *axis));
}

void weft::onnx::registerSoftmaxRows(OpRegistry &registry) {
  registry.add("Softmax",
               {{"Hardmax", 1, 12, importRows<hardmax>},
                {"Hardmax", 13, kLastOpset, importAxis<hardmax>},
                {"LogSoftmax", 1, 12, importRows<logSoftmax>},
                {"LogSoftmax", 13, kLastOpset, importAxis<logSoftmax>},
                {"Softmax", 1, 12, importRows<softmax>},
                {"Softmax", 13, kLastOpset, importAxis<softmax>}});
}
