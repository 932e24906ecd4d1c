//===- Pool.cpp - ONNX rows of the Pool family ----------------------------===//

#include "dialects/top/Pool.h"

#include "frontend/onnx/OpRows.h"
#include "frontend/onnx/Window.h"

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

template <PoolKind Kind>
static LogicalResult importPool(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  auto spatial = spatialSizes(n, *input);
  if (failed(spatial))
    return failure();
  auto kernel = n.intsAttribute("kernel_shape", spatial->size(), 1, 1);
  auto includePad = n.flagAttribute("count_include_pad", false);
  if (failed(kernel) || failed(includePad))
    return failure();
  if (!n.hasAttribute("kernel_shape"))
    return n.error() << "kernel_shape is missing";
  FailureOr<Window> window = readWindow(n, *spatial, *kernel);
  if (failed(window))
    return failure();
  if (n.wantsOutput(1))
    return n.unsupported() << "output Indices of " << n.node.opType
                           << "; remove it if nothing needs it";
  if (llvm::any_of(window->dilations, [](int64_t d) { return d != 1; }))
    return n.unsupported() << n.node.opType
                           << " with dilations; use dilations of 1";
  // Cells that only ceil_mode adds count for nobody, which one flag cannot say.
  if (*includePad && window->extended)
    return n.unsupported() << "count_include_pad together with ceil_mode; "
                              "make the padding explicit with Pad";
  return n.setOutput(n.create<top::PoolOp>(Kind, *input, window->kernel,
                                           window->strides, window->pads,
                                           *includePad));
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
  SmallVector<int64_t> ones(spatial->size(), 1), zeros(2 * spatial->size(), 0);
  return n.setOutput(n.create<top::PoolOp>(Kind, *input, *spatial, ones, zeros,
                                           /*count_include_pad=*/false));
}

/// Axes of a reduction: an attribute before 18, then an operand; none means all
/// (or none, with `noop_with_empty_axes`).
static FailureOr<SmallVector<int64_t>> reducedAxes(NodeImporter &n,
                                                   int64_t rank) {
  FailureOr<bool> noop = n.flagAttribute("noop_with_empty_axes", false);
  if (failed(noop))
    return failure();
  SmallVector<int64_t> axes;
  bool given =
      n.opset < 18 ? n.hasAttribute("axes") : n.optionalOperand(1) != nullptr;
  if (given) {
    FailureOr<SmallVector<int64_t>> listed =
        n.opset < 18 ? n.intsAttribute("axes", -1, 0)
                     : n.constantInts(1, "axes");
    if (failed(listed))
      return failure();
    axes = *listed;
  }
  if (axes.empty() && !*noop)
    for (int64_t axis = 0; axis < rank; ++axis)
      axes.push_back(axis);
  return n.normalizeAxes(axes, rank);
}

/// ReduceMean-1..18, ReduceMax-1..20 over axes that lie side by side: a pool
/// over a view outer, 1, reduced, inner of the input.
template <PoolKind Kind>
static LogicalResult importReduce(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  FailureOr<bool> keepDims = n.flagAttribute("keepdims", true);
  FailureOr<SmallVector<int64_t>> axes = reducedAxes(n, shape.size());
  if (failed(keepDims) || failed(axes))
    return failure();
  if (axes->empty())
    return n.setOutput(0, *input);
  int64_t first = axes->front(), last = axes->back();
  if (last - first + 1 != static_cast<int64_t>(axes->size()))
    return n.unsupported()
           << n.node.opType
           << " over axes that do not lie side by side; use one "
              "node for each group of axes";
  SmallVector<int64_t> result;
  for (int64_t i = 0, rank = shape.size(); i < rank; ++i) {
    bool reduced = i >= first && i <= last;
    if (!reduced || *keepDims)
      result.push_back(reduced ? 1 : shape[i]);
  }
  int64_t outer = *countElements(shape.take_front(first));
  int64_t window = *countElements(shape.slice(first, axes->size()));
  int64_t inner = *countElements(shape.drop_front(last + 1));
  FailureOr<Value> view = n.reshape(*input, {outer, 1, window, inner});
  if (failed(view))
    return failure();
  FailureOr<Value> pooled = n.create<top::PoolOp>(
      Kind, *view, ArrayRef<int64_t>{window, 1}, ArrayRef<int64_t>{1, 1},
      ArrayRef<int64_t>{0, 0, 0, 0}, /*count_include_pad=*/false);
  if (failed(pooled))
    return failure();
  return n.setOutput(n.reshape(*pooled, result));
}

void weft::onnx::registerPoolRows(OpRegistry &registry) {
  registry.add(
      "Pool",
      {
          {"AveragePool", 7, kLastOpset, importPool<PoolKind::Avg>,
           "no dilations"},
          {"GlobalAveragePool", 1, kLastOpset, importGlobalPool<PoolKind::Avg>},
          {"GlobalMaxPool", 1, kLastOpset, importGlobalPool<PoolKind::Max>},
          {"MaxPool", 1, kLastOpset, importPool<PoolKind::Max>,
           "no dilations, no Indices"},
          {"ReduceMax", 1, kLastOpset, importReduce<PoolKind::Max>,
           "floats, axes side by side"},
          {"ReduceMean", 1, kLastOpset, importReduce<PoolKind::Avg>,
           "floats, axes side by side"},
      });
}
