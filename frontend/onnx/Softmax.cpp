//===- Softmax.cpp - ONNX rows of the Softmax family ----------------------===//

#include "dialects/top/Softmax.h"

#include "frontend/onnx/NodeImporter.h"
#include "frontend/onnx/OpRows.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

/// Softmax-1, -11: the axes from `axis` on are taken together as one row.
static LogicalResult importSoftmaxRows(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  ArrayRef<int64_t> shape = n.typeOf(*input).getShape();
  FailureOr<int64_t> attribute = n.intAttribute("axis", 1);
  if (failed(attribute))
    return failure();
  FailureOr<int64_t> axis = n.normalizeAxis(*attribute, shape.size());
  if (failed(axis))
    return failure();
  bool oneAxis = llvm::all_of(shape.drop_front(*axis + 1),
                              [](int64_t size) { return size == 1; });
  if (oneAxis)
    return n.setOutput(n.create<top::SoftmaxOp>(*input, *axis));
  int64_t rows = *countElements(shape.take_front(*axis));
  int64_t columns = *countElements(shape.drop_front(*axis));
  FailureOr<Value> matrix = n.reshape(*input, {rows, columns});
  if (failed(matrix))
    return failure();
  FailureOr<Value> result = n.create<top::SoftmaxOp>(*matrix, int64_t(1));
  if (failed(result))
    return failure();
  return n.setOutput(n.reshape(*result, shape));
}

/// Softmax-13: along one axis.
static LogicalResult importSoftmax(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<int64_t> attribute = n.intAttribute("axis", -1);
  if (failed(input) || failed(attribute))
    return failure();
  FailureOr<int64_t> axis =
      n.normalizeAxis(*attribute, n.typeOf(*input).getRank());
  if (failed(axis))
    return failure();
  return n.setOutput(n.create<top::SoftmaxOp>(*input, *axis));
}

void weft::onnx::registerSoftmaxRows(OpRegistry &registry) {
  registry.add("Softmax", {{"Softmax", 1, 12, importSoftmaxRows},
                           {"Softmax", 13, kLastOpset, importSoftmax}});
}
