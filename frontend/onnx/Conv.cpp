//===- Conv.cpp - ONNX rows of the Conv family ----------------------------===//

#include "dialects/top/Conv.h"

#include "frontend/onnx/OpRows.h"
#include "frontend/onnx/Window.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

/// Conv-1..22.
static LogicalResult importConv(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0), filter = n.operand(1);
  if (failed(input) || failed(filter))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  ArrayRef<int64_t> filterShape = n.typeOf(*filter).getShape();
  if (shape.size() < 3 || shape.size() != filterShape.size())
    return n.error() << "the input has the shape " << formatShape(shape)
                     << " and the filter " << formatShape(filterShape)
                     << "; both must have the same rank of 3 or more";
  ArrayRef<int64_t> kernel = filterShape.drop_front(2);
  auto named = n.intsAttribute("kernel_shape", kernel.size(), 0, 1);
  if (failed(named))
    return failure();
  if (n.hasAttribute("kernel_shape") && ArrayRef<int64_t>(*named) != kernel)
    return n.error() << "kernel_shape is " << formatShape(*named)
                     << ", the filter has " << formatShape(kernel);
  FailureOr<int64_t> group = n.intAttribute("group", 1, 1);
  FailureOr<Window> window = readWindow(n, shape.drop_front(2), kernel);
  if (failed(group) || failed(window))
    return failure();
  return n.setOutput(n.create<top::ConvOp>(
      *input, *filter, n.optionalOperand(2), window->strides, window->pads,
      window->dilations, *group));
}

void weft::onnx::registerConvRows(OpRegistry &registry) {
  registry.add("Conv",
               {{"Conv", 1, kLastOpset, importConv, "1 to 3 spatial axes"}});
}
