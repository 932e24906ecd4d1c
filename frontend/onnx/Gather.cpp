//===- Gather.cpp - ONNX rows of the Gather family ------------------------===//
//
// All of these operators name values by computed indices. The machine copies
// rows of a table that a list names, so each becomes integer arithmetic that
// makes row numbers, and one top.gather or top.scatter.
//
//===----------------------------------------------------------------------===//

#include "dialects/top/Gather.h"

#include "dialects/HostCall.h"
#include "dialects/top/Move.h"
#include "frontend/onnx/Compose.h"
#include "frontend/onnx/OpRows.h"

#include <numeric>

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

/// A scatter that combines becomes so many steps at most, each of rows that
/// cannot be the same; longer ones are left to the host.
static constexpr int64_t kMostSteps = 64;

//===----------------------------------------------------------------------===//
// Row numbers
//===----------------------------------------------------------------------===//

static int64_t product(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<>());
}

/// Distance in elements between neighbours on each axis of a row-major tensor.
static SmallVector<int64_t> rowMajorSteps(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> steps(shape.size(), 1);
  for (int64_t axis = int64_t(shape.size()) - 2; axis >= 0; --axis)
    steps[axis] = steps[axis + 1] * shape[axis + 1];
  return steps;
}

/// Indices of which negative ones count from the end, as i64 from 0 on: `sizes`
/// (any tensor that broadcasts) says how many there are.
static Value fromFront(Compose &c, Value indices, Value sizes) {
  if (!indices || !sizes)
    return {};
  // -1 for a negative index, else 0.
  Value sign = c.clamp(indices, -1, 0);
  return c.sub(indices, c.mul(sign, sizes));
}
static Value fromFront(Compose &c, Value indices, int64_t size) {
  return indices ? fromFront(c, indices, c.number(double(size), indices))
                 : Value();
}

/// Sum over all axes a of `shape` but `without` of i_a * steps[a], a constant
/// of that shape with size 1 at `without`.
static Value places(Compose &c, ArrayRef<int64_t> shape,
                    ArrayRef<int64_t> steps, int64_t without) {
  SmallVector<int64_t> sizes(shape);
  sizes[without] = 1;
  if (failed(c.n.checkTable(sizes)))
    return {};
  SmallVector<int64_t> values(product(sizes)), index(sizes.size(), 0);
  for (int64_t &value : values) {
    value = 0;
    for (size_t axis = 0; axis < sizes.size(); ++axis)
      value += index[axis] * steps[axis];
    for (int64_t axis = int64_t(sizes.size()) - 1; axis >= 0; --axis) {
      if (++index[axis] < sizes[axis])
        break;
      index[axis] = 0;
    }
  }
  return c.n.intConstant(values, sizes);
}

/// 0, step, 2*step .. as i64 of shape `shape`, which has one axis that is not
/// 1.
static Value ramp(Compose &c, int64_t step, ArrayRef<int64_t> shape) {
  if (failed(c.n.checkTable(shape)))
    return {};
  SmallVector<int64_t> values(product(shape));
  for (auto [i, value] : llvm::enumerate(values))
    value = int64_t(i) * step;
  return c.n.intConstant(values, shape);
}

/// An empty constant, the result of gathering nothing.
static Value emptyTensor(Compose &c, ArrayRef<int64_t> shape, Type element) {
  return c.numbers(0.0, shape, element);
}

/// Rows of `width` values of `data`, all axes taken as one list of rows; the
/// result has the shape of `rows` and then `width`, folded into `shape`.
static Value gatherRows(Compose &c, Value data, Value rows, int64_t width,
                        ArrayRef<int64_t> shape) {
  if (!data || !rows)
    return {};
  if (product(shape) == 0)
    return emptyTensor(c, shape, Compose::elementOf(data));
  int64_t all = product(Compose::shapeOf(data));
  return c.reshape(
      c.gather(c.reshape(data, {1, all / width, width}),
               c.reshape(rows, {1, product(Compose::shapeOf(rows))})),
      shape);
}

/// `data` with rows of `width` values replaced, all axes taken as one list.
static Value scatterRows(Compose &c, Value data, Value rows, Value updates,
                         int64_t width, StringRef reduction) {
  if (!data || !rows || !updates)
    return {};
  SmallVector<int64_t> shape(Compose::shapeOf(data));
  int64_t count = product(Compose::shapeOf(rows)), all = product(shape);
  if (count * width == 0 || all == 0)
    return data;
  return c.reshape(c.scatter(c.reshape(data, {1, all / width, width}),
                             c.reshape(rows, {1, count}),
                             c.reshape(updates, {1, count, width}), reduction),
                   shape);
}

/// f(current, update) of a scatter.
static Value combine(Compose &c, StringRef reduction, Value current,
                     Value update) {
  if (reduction == "add")
    return c.add(current, update);
  if (reduction == "mul")
    return c.mul(current, update);
  return reduction == "min" ? c.min(current, update) : c.max(current, update);
}

/// The same with the `axis` of `rows` and `updates` walked step by step, so
/// that no step meets a row twice and the chip can combine: gather, combine,
/// scatter.
static Value scatterSteps(Compose &c, Value data, Value rows, Value updates,
                          int64_t axis, int64_t width, StringRef reduction) {
  if (!rows || !updates)
    return {};
  int64_t steps = Compose::shapeOf(rows)[axis];
  if (reduction == "none" || steps > kMostSteps)
    return scatterRows(c, data, rows, updates, width, reduction);
  for (int64_t step = 0; step < steps && data; ++step) {
    Value row = c.sliceAxis(rows, axis, step, 1);
    Value update = c.sliceAxis(updates, axis, step, 1);
    if (!row || !update)
      return {};
    Value current = gatherRows(c, data, row, width,
                               SmallVector<int64_t>(Compose::shapeOf(update)));
    data = scatterRows(c, data, row, combine(c, reduction, current, update),
                       width, "none");
  }
  return data;
}

/// Gather of a constant, byte by byte.
static LogicalResult gatherConstant(NodeImporter &n, Value input, int64_t axis,
                                    ArrayRef<int64_t> indices,
                                    ArrayRef<int64_t> resultShape) {
  RankedTensorType type = n.typeOf(input);
  std::optional<std::vector<char>> bytes = constantBytesOf(input);
  assert(bytes && "the caller has seen a constant");
  Tensor result;
  result.name = n.node.outputs.front();
  result.type = onnxTypeOf(type.getElementType());
  result.dims.assign(resultShape.begin(), resultShape.end());
  ArrayRef<int64_t> shape = type.getShape();
  int64_t outer = *countElements(shape.take_front(axis));
  int64_t inner = *countElements(shape.drop_front(axis + 1)) *
                  int64_t(dataTypeBytes(result.type));
  auto gathered =
      std::make_shared<std::vector<char>>(outer * inner * indices.size() + 1);
  char *out = gathered->data();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t index : indices) {
      std::memcpy(out, bytes->data() + (o * shape[axis] + index) * inner,
                  inner);
      out += inner;
    }
  result.bytes = {gathered->data(), gathered->size() - 1};
  result.owner = gathered;
  return n.setOutput(
      0, n.constant(constantAttribute(result, n.builder.getContext())));
}

/// Gather by constant indices that follow each other at equal distance: a
/// slice; null if they do not.
static Value gatherSlice(Compose &c, Value input, int64_t axis,
                         ArrayRef<int64_t> indices) {
  size_t count = indices.size();
  if (count == 0)
    return {};
  int64_t step = count > 1 ? indices[1] - indices[0] : 1;
  bool regular = step != 0;
  for (size_t i = 1; i < count; ++i)
    regular &= indices[i] - indices[i - 1] == step;
  return regular ? c.sliceAxis(input, axis, indices.front(), count, step)
                 : Value();
}

/// Indices as i64, so that they can be reckoned with.
static Value indexOperand(Compose &c, Value indices) {
  return c.cast(indices, c.n.builder.getI64Type());
}

/// Gather by indices known at compile time.
static LogicalResult gatherKnown(NodeImporter &n, Value input, int64_t axis,
                                 SmallVector<int64_t> indices,
                                 ArrayRef<int64_t> resultShape) {
  ArrayRef<int64_t> shape = n.typeOf(input).getShape();
  for (int64_t &index : indices) {
    if (index < -shape[axis] || index >= shape[axis])
      return n.error() << "index " << index << " is outside of axis " << axis
                       << ", which has the size " << shape[axis];
    index += index < 0 ? shape[axis] : 0;
  }
  if (constantBytesOf(input))
    return gatherConstant(n, input, axis, indices, resultShape);
  Compose c(n);
  if (Value part = gatherSlice(c, input, axis, indices))
    return c.finish(c.reshape(part, resultShape));
  int64_t outer = product(shape.take_front(axis)),
          inner = product(shape.drop_front(axis + 1)), count = indices.size();
  if (product(resultShape) == 0)
    return c.finish(
        emptyTensor(c, resultShape, n.typeOf(input).getElementType()));
  return c.finish(
      c.reshape(c.gather(c.reshape(input, {outer, shape[axis], inner}),
                         n.intConstant(indices, {1, count})),
                resultShape));
}

/// Gather-1..13: whole slices of `axis`.
static LogicalResult importGather(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0), indexOperandValue = n.operand(1);
  FailureOr<int64_t> attribute = n.intAttribute("axis", 0);
  if (failed(input) || failed(indexOperandValue) || failed(attribute))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  FailureOr<int64_t> axis = n.normalizeAxis(*attribute, shape.size());
  if (failed(axis))
    return failure();
  ArrayRef<int64_t> indexShape = n.typeOf(*indexOperandValue).getShape();
  SmallVector<int64_t> resultShape(shape.take_front(*axis));
  llvm::append_range(resultShape, indexShape);
  llvm::append_range(resultShape, shape.drop_front(*axis + 1));
  if (!countElements(resultShape))
    return n.error() << "the result has the shape " << formatShape(resultShape)
                     << "; there may be at most " << kMaxElements
                     << " elements";
  if (auto known = constantIntsOf(*indexOperandValue))
    return gatherKnown(n, *input, *axis, *known, resultShape);
  Compose c(n);
  if (product(resultShape) == 0)
    return c.finish(
        emptyTensor(c, resultShape, n.typeOf(*input).getElementType()));
  Value indices =
      fromFront(c, indexOperand(c, *indexOperandValue), shape[*axis]);
  int64_t outer = product(shape.take_front(*axis)),
          inner = product(shape.drop_front(*axis + 1));
  return c.finish(
      c.reshape(c.gather(c.reshape(*input, {outer, shape[*axis], inner}),
                         c.reshape(indices, {1, product(indexShape)})),
                resultShape));
}

//===----------------------------------------------------------------------===//
// GatherElements, ScatterElements
//===----------------------------------------------------------------------===//

namespace {
/// Operands of an operator that names single elements along an axis.
struct ElementOperands {
  Value data, rows, updates; ///< rows: number of the element in `data`
  int64_t axis;
};
} // namespace

/// data, indices and, of a scatter, updates; the indices have at most the sizes
/// of `data` on the other axes.
static FailureOr<ElementOperands> elementOperands(NodeImporter &n, Compose &c,
                                                  bool scatters) {
  FailureOr<Value> data = n.operand(0), indices = n.operand(1);
  FailureOr<Value> updates =
      scatters ? n.operand(2) : FailureOr<Value>(Value());
  FailureOr<int64_t> attribute = n.intAttribute("axis", 0);
  if (failed(data) || failed(indices) || failed(updates) || failed(attribute))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*data).getShape(),
                    indexShape = n.typeOf(*indices).getShape();
  FailureOr<int64_t> axis = n.normalizeAxis(*attribute, shape.size());
  if (failed(axis))
    return failure();
  bool fits = indexShape.size() == shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i)
    fits = int64_t(i) == *axis || indexShape[i] <= shape[i];
  if (!fits || (*updates && n.typeOf(*updates).getShape() != indexShape)) {
    n.error() << "the data have the shape " << formatShape(shape)
              << ", the indices " << formatShape(indexShape)
              << "; both need one rank, and the indices no larger sizes but on "
                 "axis "
              << *axis << (*updates ? ", and the updates their shape" : "");
    return failure();
  }
  SmallVector<int64_t> steps = rowMajorSteps(shape);
  Value along = fromFront(c, indexOperand(c, *indices), shape[*axis]);
  Value rows = c.add(c.mul(along, double(steps[*axis])),
                     places(c, indexShape, steps, *axis));
  if (!rows)
    return failure();
  return ElementOperands{*data, rows, *updates, *axis};
}

/// GatherElements-11..13.
static LogicalResult importGatherElements(NodeImporter &n) {
  Compose c(n);
  FailureOr<ElementOperands> operands = elementOperands(n, c, false);
  if (failed(operands))
    return failure();
  SmallVector<int64_t> shape(Compose::shapeOf(operands->rows));
  return c.finish(gatherRows(c, operands->data, operands->rows, 1, shape));
}

static FailureOr<std::string> reductionOf(NodeImporter &n) {
  return n.wordAttribute("reduction", "none",
                         {"none", "add", "mul", "min", "max"});
}

/// Scatter-9..11, ScatterElements-11..18.
static LogicalResult importScatterElements(NodeImporter &n) {
  Compose c(n);
  FailureOr<std::string> reduction = reductionOf(n);
  FailureOr<ElementOperands> operands = elementOperands(n, c, true);
  if (failed(operands) || failed(reduction))
    return failure();
  return c.finish(scatterSteps(c, operands->data, operands->rows,
                               operands->updates, operands->axis, 1,
                               *reduction));
}

//===----------------------------------------------------------------------===//
// GatherND, ScatterND
//===----------------------------------------------------------------------===//

/// Row numbers from indices whose last axis names one row: `sizes` are those of
/// the axes that it counts along, `batches` leading axes are common to data and
/// indices. The result lacks the last axis.
static Value rowsOfTuples(Compose &c, Value indices, ArrayRef<int64_t> sizes,
                          int64_t batches) {
  SmallVector<int64_t> shape(Compose::shapeOf(indices));
  int64_t last = shape.size() - 1, count = sizes.size();
  SmallVector<int64_t> steps = rowMajorSteps(sizes);
  indices =
      fromFront(c, indexOperand(c, indices), c.n.intConstant(sizes, {count}));
  SmallVector<int64_t> rowShape(ArrayRef<int64_t>(shape).drop_back());
  Value rows;
  for (int64_t i = 0; i < count; ++i) {
    Value part = c.mul(c.sliceAxis(indices, last, i, 1), double(steps[i]));
    rows = i ? c.add(rows, part) : part;
  }
  rows = c.reshape(count ? rows : c.n.intConstant({0}, {1}), rowShape);
  int64_t all = product(ArrayRef<int64_t>(shape).take_front(batches));
  if (batches == 0 || all <= 1)
    return rows;
  // Each batch has its own rows: flat over the batch axes, then back.
  int64_t each = product(rowShape) / std::max<int64_t>(all, 1);
  Value flat = c.reshape(rows, {all, each});
  return c.reshape(c.add(flat, ramp(c, product(sizes), {all, 1})), rowShape);
}

/// GatherND-11..13.
static LogicalResult importGatherND(NodeImporter &n) {
  FailureOr<Value> data = n.operand(0), indices = n.operand(1);
  FailureOr<int64_t> batches = n.intAttribute("batch_dims", 0, 0);
  if (failed(data) || failed(indices) || failed(batches))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*data).getShape(),
                    indexShape = n.typeOf(*indices).getShape();
  int64_t rank = shape.size(), indexRank = indexShape.size();
  bool fits = indexRank > *batches && rank > *batches &&
              indexShape.back() <= rank - *batches &&
              shape.take_front(*batches) == indexShape.take_front(*batches);
  if (!fits)
    return n.error() << "the data have the shape " << formatShape(shape)
                     << ", the indices " << formatShape(indexShape)
                     << " with batch_dims " << *batches
                     << "; the leading sizes must agree, and the last axis of "
                        "the indices name axes of the data";
  int64_t count = indexShape.back();
  SmallVector<int64_t> result(indexShape.drop_back());
  ArrayRef<int64_t> rest = shape.drop_front(*batches + count);
  llvm::append_range(result, rest);
  Compose c(n);
  if (product(result) == 0)
    return c.finish(emptyTensor(c, result, n.typeOf(*data).getElementType()));
  Value rows =
      rowsOfTuples(c, *indices, shape.slice(*batches, count), *batches);
  return c.finish(gatherRows(c, *data, rows, product(rest), result));
}

/// ScatterND-11..18.
static LogicalResult importScatterND(NodeImporter &n) {
  FailureOr<Value> data = n.operand(0), indices = n.operand(1),
                   updates = n.operand(2);
  FailureOr<std::string> reduction = reductionOf(n);
  if (failed(data) || failed(indices) || failed(updates) || failed(reduction))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*data).getShape(),
                    indexShape = n.typeOf(*indices).getShape();
  bool fits = !indexShape.empty() && indexShape.back() <= int64_t(shape.size());
  SmallVector<int64_t> wanted;
  if (fits) {
    llvm::append_range(wanted, indexShape.drop_back());
    llvm::append_range(wanted, shape.drop_front(indexShape.back()));
  }
  if (!fits || n.typeOf(*updates).getShape() != ArrayRef<int64_t>(wanted))
    return n.error()
           << "the data have the shape " << formatShape(shape)
           << ", the indices " << formatShape(indexShape) << " and the updates "
           << formatShape(n.typeOf(*updates).getShape())
           << "; the last axis of the indices names axes of the data, "
              "the updates have the other axes of both";
  int64_t count = indexShape.back(), rows = product(indexShape.drop_back()),
          width = product(shape.drop_front(count));
  if (rows * width == 0 || product(shape) == 0)
    return n.setOutput(0, *data);
  Compose c(n);
  Value numbers = c.reshape(
      rowsOfTuples(c, *indices, shape.take_front(count), 0), {rows, 1});
  return c.finish(scatterSteps(c, *data, numbers,
                               c.reshape(*updates, {rows, width}), 0, width,
                               *reduction));
}

//===----------------------------------------------------------------------===//
// TensorScatter, ReverseSequence
//===----------------------------------------------------------------------===//

/// TensorScatter-24: `update` written into a cache, in each batch from its own
/// place on.
static LogicalResult importTensorScatter(NodeImporter &n) {
  FailureOr<Value> cache = n.operand(0), update = n.operand(1);
  FailureOr<int64_t> attribute = n.intAttribute("axis", -2);
  FailureOr<std::string> mode =
      n.wordAttribute("mode", "linear", {"linear", "circular"});
  if (failed(cache) || failed(update) || failed(attribute) || failed(mode))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*cache).getShape(),
                    part = n.typeOf(*update).getShape();
  FailureOr<int64_t> axis = n.normalizeAxis(*attribute, shape.size());
  if (failed(axis))
    return failure();
  bool fits =
      *axis > 0 && part.size() == shape.size() && part[*axis] <= shape[*axis];
  for (size_t i = 0; fits && i < shape.size(); ++i)
    fits = int64_t(i) == *axis || part[i] == shape[i];
  if (!fits)
    return n.error() << "the cache has the shape " << formatShape(shape)
                     << ", the update " << formatShape(part) << " on axis "
                     << *axis
                     << "; they must agree but on that axis, which is not the "
                        "first, and the update fit into it";
  int64_t batch = shape[0], size = shape[*axis], count = part[*axis],
          middle = product(shape.slice(1, *axis - 1)),
          width = product(shape.drop_front(*axis + 1));
  if (product(part) == 0)
    return n.setOutput(0, *cache);
  Compose c(n);
  Value place = ramp(c, 1, {1, 1, count});
  if (Value starts = n.optionalOperand(2))
    place = c.add(c.reshape(indexOperand(c, starts), {batch, 1, 1}), place);
  if (*mode == "circular") {
    Value over = c.sub(place, double(size)); // negative: not over
    place = c.sub(over, c.mul(c.clamp(over, -1, 0), double(size)));
  }
  SmallVector<int64_t> outer{batch, middle, 1};
  Value rows = c.add(place, places(c, outer, {middle * size, size, 0}, 2));
  rows = c.reshape(rows, {batch * middle * count});
  return c.finish(scatterRows(c, *cache, rows, *update, width, "none"));
}

/// ReverseSequence-10: the first so many steps of each batch backwards.
static LogicalResult importReverseSequence(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0), lengths = n.operand(1);
  FailureOr<int64_t> batchAxis = n.intAttribute("batch_axis", 1, 0, 1),
                     timeAxis = n.intAttribute("time_axis", 0, 0, 1);
  if (failed(input) || failed(lengths) || failed(batchAxis) || failed(timeAxis))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  if (shape.size() < 2 || *batchAxis == *timeAxis ||
      n.typeOf(*lengths).getShape() != shape.slice(*batchAxis, 1))
    return n.error() << "the input has the shape " << formatShape(shape)
                     << ", the lengths "
                     << formatShape(n.typeOf(*lengths).getShape())
                     << "; batch_axis " << *batchAxis << " and time_axis "
                     << *timeAxis
                     << " must differ, with one length for each batch";
  if (product(shape) == 0)
    return n.setOutput(0, *input);
  int64_t batches = shape[*batchAxis], steps = shape[*timeAxis];
  SmallVector<int64_t> batchShape(2, 1), timeShape(2, 1);
  batchShape[*batchAxis] = batches;
  timeShape[*timeAxis] = steps;
  int64_t rowSteps[] = {shape[1], 1};
  Compose c(n);
  Value time = ramp(c, 1, timeShape);
  // Others are no lengths; so what is made of them stays small.
  Value length = c.clamp(indexOperand(c, *lengths), 0, double(steps));
  Value mirror = c.sub(c.sub(c.reshape(length, batchShape), 1.0), time);
  // Where the mirrored step is negative, the step itself.
  Value beyond = c.clamp(mirror, -1, 0);
  Value from = c.sub(mirror, c.mul(beyond, c.sub(time, mirror)));
  Value rows = c.add(c.mul(from, double(rowSteps[*timeAxis])),
                     ramp(c, rowSteps[*batchAxis], batchShape));
  return c.finish(
      gatherRows(c, *input, rows, product(shape.drop_front(2)), shape));
}

//===----------------------------------------------------------------------===//
// OneHot, Trilu, Compress
//===----------------------------------------------------------------------===//

/// OneHot-9..11: a table of `off` in which each index sets one `on`. An index
/// outside of the depth sets none.
static LogicalResult importOneHot(NodeImporter &n) {
  FailureOr<Value> indices = n.operand(0), values = n.operand(2);
  FailureOr<double> depthNumber = n.constantNumber(1, "the depth");
  FailureOr<int64_t> attribute = n.intAttribute("axis", -1);
  if (failed(indices) || failed(values) || failed(depthNumber) ||
      failed(attribute))
    return failure();
  auto depth = static_cast<int64_t>(*depthNumber);
  SmallVector<int64_t> shape(n.typeOf(*indices).getShape());
  int64_t rank = shape.size();
  FailureOr<int64_t> axis = n.normalizeAxis(*attribute, rank + 1);
  if (failed(axis))
    return failure();
  if (depth < 1 || n.typeOf(*values).getNumElements() != 2)
    return n.error() << "the depth is " << depth << " and there are "
                     << n.typeOf(*values).getNumElements()
                     << " values; the depth must be >= 1, the values two";
  int64_t count = product(shape);
  SmallVector<int64_t> lastShape(shape), perm;
  lastShape.push_back(depth);
  for (int64_t i = 0; i <= rank; ++i) // the depth is the last axis so far
    perm.push_back(i < *axis ? i : i == *axis ? rank : i - 1);
  Compose c(n);
  if (count == 0) {
    shape.insert(shape.begin() + *axis, depth);
    return c.finish(emptyTensor(c, shape, n.typeOf(*values).getElementType()));
  }
  // Others than 0 .. depth - 1, from either end, give zeros: they stay others,
  // and small.
  double below = -double(depth) - 1, above = double(depth);
  if (isa<FloatType>(n.typeOf(*indices).getElementType()))
    indices = c.clamp(*indices, below, above);
  Value index = c.clamp(indexOperand(c, *indices), below, above);
  Value rows = c.reshape(fromFront(c, index, depth), {count, 1});
  Value pair = c.reshape(*values, {2, 1, 1});
  Value off = c.expand(c.sliceAxis(pair, 0, 0, 1), {count, depth, 1});
  Value on = c.expand(c.sliceAxis(pair, 0, 1, 1), {count, 1, 1});
  return c.finish(
      c.transpose(c.reshape(c.scatter(off, rows, on), lastShape), perm));
}

/// Trilu-14: elements on one side of a diagonal, 0 on the other. Row numbers
/// are known: those outside of the table give 0.
static LogicalResult importTrilu(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<bool> upper = n.flagAttribute("upper", true);
  if (failed(input) || failed(upper))
    return failure();
  int64_t diagonal = 0;
  if (n.optionalOperand(1)) {
    FailureOr<double> given = n.constantNumber(1, "k");
    if (failed(given))
      return failure();
    diagonal = static_cast<int64_t>(*given);
  }
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  if (shape.size() < 2)
    return n.error() << "the input has the shape " << formatShape(shape)
                     << ", must have at least two axes";
  if (product(shape) == 0)
    return n.setOutput(0, *input);
  int64_t rows = shape[shape.size() - 2], columns = shape.back(),
          batch = product(shape.drop_back(2));
  if (failed(n.checkTable({rows, columns})))
    return failure();
  SmallVector<int64_t> kept(rows * columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      bool keeps = *upper ? j - i >= diagonal : j - i <= diagonal;
      kept[i * columns + j] = keeps ? i * columns + j : -1;
    }
  Compose c(n);
  return c.finish(
      c.reshape(c.gather(c.reshape(*input, {batch, rows * columns, 1}),
                         n.intConstant(kept, {1, rows * columns})),
                shape));
}

/// Compress-9..11 with a condition that is known: slices of an axis. Otherwise
/// the size of the result depends on the data.
static LogicalResult importCompress(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0), condition = n.operand(1);
  if (failed(input) || failed(condition))
    return failure();
  Compose c(n);
  SmallVector<int64_t> shape(n.typeOf(*input).getShape());
  Value data = *input;
  int64_t axis = 0;
  NamedAttrList parameters;
  if (n.hasAttribute("axis")) {
    FailureOr<int64_t> given = n.intAttribute("axis", 0);
    if (failed(given))
      return failure();
    FailureOr<int64_t> normal = n.normalizeAxis(*given, shape.size());
    if (failed(normal))
      return failure();
    axis = *normal;
  } else {
    shape = {product(shape)};
    data = c.reshape(data, shape);
  }
  if (n.typeOf(*condition).getRank() != 1 ||
      n.typeOf(*condition).getNumElements() > shape[axis])
    return n.error() << "the condition has the shape "
                     << formatShape(n.typeOf(*condition).getShape())
                     << " for an axis of size " << shape[axis]
                     << "; it must be a list that is not longer";
  if (auto bytes = constantBytesOf(*condition)) {
    SmallVector<int64_t> kept;
    for (auto [i, byte] : llvm::enumerate(*bytes))
      if (byte)
        kept.push_back(i);
    SmallVector<int64_t> result(shape);
    result[axis] = kept.size();
    return gatherKnown(n, data, axis, kept, result);
  }
  parameters.append("axis", n.builder.getI64IntegerAttr(axis));
  SmallVector<int64_t> largest(shape);
  largest[axis] = n.typeOf(*condition).getNumElements();
  shape[axis] = host::kUnknownSize;
  return c.finishHost("compress", {data, *condition}, parameters,
                      boundedType(shape, largest, Compose::elementOf(data)));
}

void weft::onnx::registerGatherRows(OpRegistry &registry) {
  registry.add("Gather",
               {
                   {"Compress", 9, kLastOpset, importCompress},
                   {"Gather", 1, kLastOpset, importGather},
                   {"GatherElements", 11, kLastOpset, importGatherElements},
                   {"GatherND", 11, kLastOpset, importGatherND},
                   {"OneHot", 9, kLastOpset, importOneHot, "constant depth"},
                   {"ReverseSequence", 10, kLastOpset, importReverseSequence},
                   {"Scatter", 9, 10, importScatterElements},
                   {"ScatterElements", 11, kLastOpset, importScatterElements},
                   {"ScatterND", 11, kLastOpset, importScatterND},
                   {"TensorScatter", 24, kLastOpset, importTensorScatter},
                   {"Trilu", 14, kLastOpset, importTrilu, "constant diagonal"},
               });
}
