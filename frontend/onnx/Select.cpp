//===- Select.cpp - ONNX rows of the Select family ------------------------===//

#include "dialects/top/Select.h"

#include "frontend/onnx/NodeImporter.h"
#include "frontend/onnx/OpRows.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

/// Where-9, 16.
static LogicalResult importWhere(NodeImporter &n) {
  FailureOr<Value> condition = n.operand(0), onTrue = n.operand(1),
                   onFalse = n.operand(2);
  if (failed(condition) || failed(onTrue) || failed(onFalse))
    return failure();
  return n.setOutput(n.create<top::SelectOp>(*condition, *onTrue, *onFalse));
}

void weft::onnx::registerSelectRows(OpRegistry &registry) {
  registry.add("Select", {{"Where", 9, kLastOpset, importWhere}});
}
