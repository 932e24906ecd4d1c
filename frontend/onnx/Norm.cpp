//===- Norm.cpp - ONNX rows of the Norm family ----------------------------===//

#include "dialects/top/Norm.h"

#include "frontend/onnx/NodeImporter.h"
#include "frontend/onnx/OpRows.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

/// BatchNormalization-7..15 at inference; `spatial` left with 9,
/// `training_mode` came with 14.
static LogicalResult importBatchNorm(NodeImporter &n) {
  SmallVector<Value> operands;
  for (unsigned i = 0; i < 5; ++i) {
    FailureOr<Value> operand = n.operand(i);
    if (failed(operand))
      return failure();
    operands.push_back(*operand);
  }
  // ONNX's default is a float32.
  FailureOr<double> epsilon = n.floatAttribute("epsilon", double(1e-5f));
  FailureOr<bool> training = n.flagAttribute("training_mode", false);
  FailureOr<bool> spatial = n.flagAttribute("spatial", true);
  if (failed(epsilon) || failed(training) || failed(spatial))
    return failure();
  bool statistics = false;
  for (unsigned i = 1; i < n.node.outputs.size(); ++i)
    statistics |= n.wantsOutput(i);
  if (*training || statistics)
    return n.unsupported() << "BatchNormalization in training mode; export the "
                              "model for inference";
  if (!*spatial)
    return n.unsupported()
           << "BatchNormalization with spatial 0; use spatial 1";
  return n.setOutput(n.create<top::BatchNormOp>(
      operands[0], operands[1], operands[2], operands[3], operands[4],
      n.builder.getF64FloatAttr(*epsilon)));
}

void weft::onnx::registerNormRows(OpRegistry &registry) {
  registry.add("Norm", {{"BatchNormalization", 7, kLastOpset, importBatchNorm,
                         "inference"}});
}
