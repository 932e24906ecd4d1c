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
      });
}
