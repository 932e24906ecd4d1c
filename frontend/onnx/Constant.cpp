//===- Constant.cpp - ONNX rows of the Constant family --------------------===//
//
// Constants and what is known as soon as shapes are: such nodes become
// constants here, so that shape arithmetic ends in static shapes.
//
//===----------------------------------------------------------------------===//

#include "dialects/Evaluate.h"
#include "dialects/top/Reduce.h"
#include "frontend/onnx/NodeImporter.h"
#include "frontend/onnx/OpRows.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

/// Most elements of a tensor that is filled in at import time (2 GB of f32).
constexpr int64_t kMaxFilledElements = int64_t(1) << 29;

/// Takes the bytes of a constant that the importer makes from a few numbers, or
/// of `isFilled` with one. Reports and fails if there are not so many left.
static LogicalResult takeMade(NodeImporter &n, ArrayRef<int64_t> shape,
                              Type element, bool isFilled = false) {
  std::optional<int64_t> elements = countElements(shape);
  uint64_t bytes = numeric::elementBytes(*hostElementType(element)),
           all = elements ? llvm::SaturatingMultiply(uint64_t(*elements), bytes)
                          : UINT64_MAX;
  if (isFilled ? n.budget.takeFilled(all) : n.budget.takeBytes(all))
    return success();
  return n.error()
         << "the result has the shape " << formatShape(shape) << ", " << bytes
         << " bytes for each element; constants that are "
         << (isFilled ? "filled with one number may take 256 MB, 16 MB for "
                        "each node"
                      : "made from a few numbers may take 256 MB")
         << " and 32 times the model's own; make it an initializer "
            "or an input";
}

template <typename T>
static LogicalResult setValues(NodeImporter &n, ArrayRef<T> values,
                               ArrayRef<int64_t> shape, Type element) {
  auto type = RankedTensorType::get(shape, element);
  return n.setOutput(0, n.constant(DenseElementsAttr::get(type, values)));
}

/// Constant-1..25: one attribute gives the value, its name says the form.
static LogicalResult importConstant(NodeImporter &n) {
  using Kind = NodeAttribute::Kind;
  if (n.node.attributes.size() != 1)
    return n.error() << "Constant has " << n.node.attributes.size()
                     << " attributes, must have one that gives the value";
  const NodeAttribute &value = n.node.attributes.front();
  int64_t count = value.floats.size() + value.ints.size();
  Type f32 = n.builder.getF32Type(), i64 = n.builder.getI64Type();
  if (value.name == "value" && value.kind == Kind::Tensor && value.tensor) {
    Tensor tensor = *value.tensor;
    tensor.name = n.node.outputs.front();
    return n.setOutput(
        0, n.constant(constantAttribute(tensor, n.builder.getContext())));
  }
  if (value.name == "value_float" && value.kind == Kind::Float)
    return setValues<float>(n, value.floatValue, {}, f32);
  if (value.name == "value_floats" && value.kind == Kind::Floats)
    return setValues<float>(n, value.floats, count, f32);
  if (value.name == "value_int" && value.kind == Kind::Int)
    return setValues<int64_t>(n, value.intValue, {}, i64);
  if (value.name == "value_ints" && value.kind == Kind::Ints)
    return setValues<int64_t>(n, value.ints, count, i64);
  return n.unsupported() << "Constant with attribute '" << value.name
                         << "'; use value, value_float, value_floats, "
                            "value_int or value_ints";
}

/// A constant of `elements` copies of the `width` bytes at `element`.
static LogicalResult fill(NodeImporter &n, ArrayRef<int64_t> shape, Type type,
                          ArrayRef<char> element) {
  std::optional<int64_t> elements = countElements(shape);
  if (!elements || *elements > kMaxFilledElements)
    return n.error() << "the result has the shape " << formatShape(shape)
                     << "; a filled tensor may have at most "
                     << kMaxFilledElements << " elements";
  if (failed(takeMade(n, shape, type, /*isFilled=*/true)))
    return failure();
  auto tensorType = RankedTensorType::get(shape, type);
  if (type.isInteger(1))
    return n.setOutput(0, n.constant(DenseElementsAttr::get(
                              tensorType, element.front() != 0)));
  // One element in a raw buffer is a splat of it.
  return n.setOutput(
      0, n.constant(DenseElementsAttr::getFromRawBuffer(tensorType, element)));
}

/// ConstantOfShape-9..25.
static LogicalResult importConstantOfShape(NodeImporter &n) {
  FailureOr<SmallVector<int64_t>> shape = n.constantInts(0, "the shape");
  if (failed(shape))
    return failure();
  const NodeAttribute *value = n.node.find("value");
  if (!value) {
    float zero = 0;
    char bytes[sizeof zero];
    std::memcpy(bytes, &zero, sizeof zero);
    return fill(n, *shape, n.builder.getF32Type(), bytes);
  }
  if (value->kind != NodeAttribute::Kind::Tensor || !value->tensor ||
      countElements(value->tensor->dims) != 1)
    return n.error() << "attribute 'value' must be a tensor of one element";
  return fill(n, *shape,
              elementTypeOf(value->tensor->type, n.builder.getContext()),
              value->tensor->bytes);
}

/// The sizes of axes `first` to `last` as data decide.
static FailureOr<Value> shapeOfData(NodeImporter &n, Value input, int64_t first,
                                    int64_t last) {
  OpBuilder &b = n.builder;
  auto made = n.createHost(
      "shape_of", input, RankedTensorType::get({last - first}, b.getI64Type()),
      {b.getNamedAttr("start", b.getI64IntegerAttr(first)),
       b.getNamedAttr("end", b.getI64IntegerAttr(last))});
  return succeeded(made) ? FailureOr<Value>(made->front())
                         : FailureOr<Value>(failure());
}

/// Shape-1..25; `start` and `end` came with 15.
static LogicalResult importShape(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  int64_t rank = shape.size();
  FailureOr<int64_t> start = n.intAttribute("start", 0);
  FailureOr<int64_t> end = n.intAttribute("end", rank);
  if (failed(start) || failed(end))
    return failure();
  auto clampAxis = [&](int64_t axis) {
    return std::clamp<int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  int64_t first = clampAxis(*start), last = clampAxis(*end);
  last = std::max(first, last);
  ArrayRef<int64_t> part = shape.slice(first, last - first);
  if (llvm::none_of(part, ShapedType::isDynamic))
    return n.setOutput(0, n.intConstant(part, part.size()));
  auto size = shapeOfData(n, *input, first, last);
  return n.setOutput(size);
}

/// Size-1..25.
static LogicalResult importSize(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  RankedTensorType type = n.typeOf(*input);
  if (type.hasStaticShape())
    return n.setOutput(0, n.intConstant(type.getNumElements(), {}));
  FailureOr<Value> sizes = shapeOfData(n, *input, 0, type.getRank());
  if (failed(sizes))
    return failure();
  int64_t axis = 0;
  return n.setOutput(n.create<top::ReduceOp>(top::ReduceKind::Prod, *sizes,
                                             ArrayRef<int64_t>(axis), false));
}

/// Range-11..: start + i * delta. Integers beyond 2^53 are refused, so that f64
/// computes every element exactly before it is rounded to the type.
static LogicalResult importRange(NodeImporter &n) {
  double limits[3];
  static const char *const kNames[] = {"start", "limit", "delta"};
  for (unsigned i = 0; i < 3; ++i) {
    FailureOr<double> value = n.constantNumber(i, kNames[i]);
    if (failed(value))
      return failure();
    if (!(std::abs(*value) <= 9007199254740992.0))
      return n.error() << kNames[i] << " is " << std::to_string(*value)
                       << ", must be finite and at most 2^53 in size";
    limits[i] = *value;
  }
  auto [start, limit, delta] = limits;
  if (delta == 0)
    return n.error() << "delta is 0, must not be";
  double count = std::max(0.0, std::ceil((limit - start) / delta));
  if (count > double(kMaxFilledElements))
    return n.error() << "the result would have more than " << kMaxFilledElements
                     << " elements";
  Type element = n.typeOf(*n.operand(0)).getElementType();
  if (failed(takeMade(n, {int64_t(count)}, element)))
    return failure();
  numeric::HostTensor values(*hostElementType(element), {int64_t(count)});
  for (int64_t i = 0; i < int64_t(count); ++i)
    values.setFromDouble(i, start + double(i) * delta);
  auto type = RankedTensorType::get(int64_t(count), element);
  return n.setOutput(0, n.constant(toElementsAttr(std::move(values), type,
                                                  n.node.outputs.front())));
}

/// EyeLike-9..22: ones on a diagonal of a matrix of the input's shape.
static LogicalResult importEyeLike(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<int64_t> diagonal = n.intAttribute("k", 0);
  FailureOr<int64_t> dtype = n.intAttribute("dtype", kUndefined, 0, INT32_MAX);
  if (failed(input) || failed(diagonal) || failed(dtype))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  Type element = *dtype == kUndefined
                     ? n.typeOf(*input).getElementType()
                     : elementTypeOf(*dtype, n.builder.getContext());
  if (shape.size() != 2 || !element || !hostElementType(element))
    return n.error() << "the input has the shape " << formatShape(shape)
                     << " and dtype is " << dataTypeName(*dtype)
                     << "; the shape must have two axes, the type be a number";
  if (failed(takeMade(n, shape, element)))
    return failure();
  auto type = RankedTensorType::get(shape, element);
  numeric::HostTensor eye(*hostElementType(element), shape.vec());
  for (int64_t row = 0; row < shape[0]; ++row) {
    int64_t column;
    if (!llvm::AddOverflow(row, *diagonal, column) && column >= 0 &&
        column < shape[1])
      eye.setFromDouble(row * shape[1] + column, 1);
  }
  return n.setOutput(0, n.constant(toElementsAttr(std::move(eye), type,
                                                  n.node.outputs.front())));
}

void weft::onnx::registerConstantRows(OpRegistry &registry) {
  registry.add("Constant",
               {
                   {"Constant", 1, kLastOpset, importConstant, "dense tensors"},
                   {"ConstantOfShape", 9, kLastOpset, importConstantOfShape,
                    "constant shape"},
                   {"EyeLike", 9, kLastOpset, importEyeLike},
                   {"Range", 11, kLastOpset, importRange, "constant limits"},
                   {"Shape", 1, kLastOpset, importShape},
                   {"Size", 1, kLastOpset, importSize},
               });
}
