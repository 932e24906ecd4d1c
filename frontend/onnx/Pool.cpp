//===- Pool.cpp - ONNX rows of the Pool family ----------------------------===//

#include "dialects/top/Pool.h"

#include "frontend/onnx/OpRows.h"
#include "frontend/onnx/Pooling.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;
using top::PoolKind;

/// The sizes of the spatial axes of operand 0.
static FailureOr<ArrayRef<int64_t>> spatialSizes(NodeImporter &n, Value input) {
  ArrayRef<int64_t> shape = n.typeOf(input).getShape();
  if (shape.size() >= 3)
    return shape.drop_front(2);
  return n.error() << "the input has the shape " << formatShape(shape)
                   << "; a pool needs at least one spatial axis (rank 3)";
}

/// The window of a pool node and its input.
static LogicalResult readPool(NodeImporter &n, Value &input, Window &window) {
  FailureOr<Value> operand = n.operand(0);
  if (failed(operand))
    return failure();
  auto spatial = spatialSizes(n, *operand);
  if (failed(spatial))
    return failure();
  auto kernel = n.intsAttribute("kernel_shape", spatial->size(), 1, 1);
  if (failed(kernel))
    return failure();
  if (!n.hasAttribute("kernel_shape"))
    return n.error() << "kernel_shape is missing";
  FailureOr<Window> read = readWindow(n, *spatial, *kernel);
  if (failed(read))
    return failure();
  for (size_t s = 0; s < spatial->size(); ++s) {
    int64_t padded =
        (*spatial)[s] + read->pads[s] + read->pads[spatial->size() + s];
    int64_t extent = read->dilations[s] * ((*kernel)[s] - 1) + 1;
    if ((*spatial)[s] < 1 || extent > padded)
      return n.error() << "the kernel spans " << extent
                       << " values on spatial axis " << s
                       << " but the padded input has " << padded
                       << "; pad more or use a smaller kernel";
  }
  input = *operand;
  window = std::move(*read);
  return success();
}

/// AveragePool-1..22.
static LogicalResult importAveragePool(NodeImporter &n) {
  Value input;
  Window window;
  auto includePad = n.flagAttribute("count_include_pad", false);
  if (failed(includePad) || failed(readPool(n, input, window)))
    return failure();
  Compose c(n);
  return c.finish(averageWindows(c, input, window, *includePad));
}

/// MaxPool-1..22; 8-bit integers (MaxPool-12) go through f32, which holds them.
static LogicalResult importMaxPool(NodeImporter &n) {
  Value input;
  Window window;
  auto order = n.intAttribute("storage_order", 0, 0, 1);
  if (failed(order) || failed(readPool(n, input, window)))
    return failure();
  Compose c(n);
  Type element = c.elementOf(input);
  Value value =
      isa<FloatType>(element) ? input : c.cast(input, n.builder.getF32Type());
  if (n.wantsOutput(1)) {
    Value indices;
    Value largest = largestWithIndices(c, value, window, *order == 1, indices);
    if (failed(c.finish(indices, 1)))
      return failure();
    return c.finish(c.cast(largest, element));
  }
  return c.finish(
      c.cast(poolWindows(c, PoolKind::Max, value, window), element));
}

/// `value` >= 0 to the power `p` > 0: exp(p * log(value)), which is exact at 0
/// and infinity and within some ulp between.
static Value power(Compose &c, Value value, double p) {
  using top::UnaryKind;
  if (p == 1)
    return value;
  if (p == 2)
    return c.mul(value, value);
  if (p == 0.5)
    return c.unary(UnaryKind::Sqrt, value);
  return c.unary(UnaryKind::Exp, c.mul(c.unary(UnaryKind::Log, value), p));
}

/// (sum of |x|^p)^(1/p) of what `mean` makes of |x|^p, a mean of `cells`.
static Value norm(Compose &c, Value value, int64_t p, double cells,
                  function_ref<Value(Value)> mean) {
  Value magnitude = c.unary(top::UnaryKind::Abs, value);
  Value raised = magnitude;
  constexpr int64_t kMostProducts = 8;
  if (p <= kMostProducts)
    for (int64_t i = 1; i < p; ++i)
      raised = c.mul(raised, magnitude);
  else
    raised = power(c, magnitude, static_cast<double>(p));
  Value sum = raised ? c.mul(mean(raised), cells) : Value();
  return power(c, sum, 1.0 / static_cast<double>(p));
}

/// LpPool-2..22.
static LogicalResult importLpPool(NodeImporter &n) {
  Value input;
  Window window;
  auto p = n.intAttribute("p", 2, 1);
  if (failed(p) || failed(readPool(n, input, window)))
    return failure();
  double cells = 1;
  for (int64_t size : window.kernel)
    cells *= static_cast<double>(size);
  Compose c(n);
  return c.finish(norm(c, input, *p, cells, [&](Value power) {
    return poolWindows(c, PoolKind::Avg, power, window);
  }));
}

/// The window over the whole of a tensor.
static Window wholeWindow(ArrayRef<int64_t> spatial) {
  Window window;
  window.kernel.assign(spatial.begin(), spatial.end());
  window.strides.assign(spatial.size(), 1);
  window.dilations = window.strides;
  window.pads.assign(2 * spatial.size(), 0);
  window.added.assign(spatial.size(), 0);
  return window;
}

/// GlobalAveragePool-1.., GlobalMaxPool-1..: a window over the whole input.
template <PoolKind Kind>
static LogicalResult importGlobalPool(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  auto spatial = spatialSizes(n, *input);
  if (failed(spatial))
    return failure();
  Compose c(n);
  return c.finish(poolWindows(c, Kind, *input, wholeWindow(*spatial)));
}

/// GlobalLpPool-2..22.
static LogicalResult importGlobalLpPool(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  auto p = n.intAttribute("p", 2, 1);
  if (failed(input) || failed(p))
    return failure();
  auto spatial = spatialSizes(n, *input);
  if (failed(spatial))
    return failure();
  Window window = wholeWindow(*spatial);
  Compose c(n);
  double cells = static_cast<double>(*countElements(*spatial));
  return c.finish(norm(c, *input, *p, cells, [&](Value power) {
    return poolWindows(c, PoolKind::Avg, power, window);
  }));
}

/// MaxUnpool-9..22: values at the places that MaxPool gave; zeros elsewhere.
static LogicalResult importMaxUnpool(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0), places = n.operand(1);
  if (failed(input) || failed(places))
    return failure();
  auto spatial = spatialSizes(n, *input);
  if (failed(spatial))
    return failure();
  size_t axes = spatial->size();
  auto kernel = n.intsAttribute("kernel_shape", axes, 1, 1);
  auto strides = n.intsAttribute("strides", axes, 1, 1);
  auto pads = n.intsAttribute("pads", 2 * axes, 0, 0);
  if (failed(kernel) || failed(strides) || failed(pads))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  if (n.typeOf(*places).getShape() != shape)
    return n.error() << "the input has the shape " << formatShape(shape)
                     << " and I " << formatShape(n.typeOf(*places).getShape())
                     << "; both must have one shape";
  SmallVector<int64_t> result(shape.take_front(2)), none(shape.size(), 0);
  for (size_t s = 0; s < axes; ++s)
    result.push_back(((*spatial)[s] - 1) * (*strides)[s] + (*kernel)[s] -
                     (*pads)[s] - (*pads)[axes + s]);
  std::optional<int64_t> elements = countElements(result);
  if (!elements || *elements < 1)
    return n.error() << "the result would have the shape "
                     << formatShape(result)
                     << ", which is empty or too large; use other strides";
  Compose c(n);
  int64_t count = *countElements(shape);
  Value base = c.numbers(0.0, {1, *elements, 1}, c.elementOf(*input));
  Value whole = c.reshape(c.scatter(base, c.reshape(*places, {1, count}),
                                    c.reshape(*input, {1, count, 1})),
                          result);
  if (!n.optionalOperand(2))
    return c.finish(whole);
  auto wanted = n.constantInts(2, "output_shape");
  if (failed(wanted))
    return failure();
  SmallVector<int64_t> end;
  for (size_t i = 0; i < result.size() && wanted->size() == result.size(); ++i)
    end.push_back((*wanted)[i] - result[i]);
  if (end.size() != result.size() ||
      llvm::any_of(end, [](int64_t more) { return more < 0; }))
    return n.error() << "output_shape is " << formatShape(*wanted)
                     << ", must be at least " << formatShape(result)
                     << " on every axis";
  return c.finish(c.pad(whole, none, end, 0));
}

void weft::onnx::registerPoolRows(OpRegistry &registry) {
  registry.add(
      "Pool",
      {
          {"AveragePool", 1, kLastOpset, importAveragePool},
          {"GlobalAveragePool", 1, kLastOpset, importGlobalPool<PoolKind::Avg>},
          {"GlobalMaxPool", 1, kLastOpset, importGlobalPool<PoolKind::Max>},
          {"GlobalLpPool", 2, kLastOpset, importGlobalLpPool},
          {"LpPool", 2, kLastOpset, importLpPool},
          {"MaxPool", 1, kLastOpset, importMaxPool},
          {"MaxUnpool", 9, kLastOpset, importMaxUnpool},
      });
}
