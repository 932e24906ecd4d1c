//===- OldForms.cpp - operators as opsets 1 to 6 had them -----------------===//
//
// Rows understand opset 7 and later. Nodes of older models are brought to their
// form of opset 7; most differ in attributes that mean nothing any more.
//
//===----------------------------------------------------------------------===//

#include "frontend/onnx/OldForms.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace weft::onnx;

static void dropAttribute(Node &node, StringRef name) {
  llvm::erase_if(node.attributes, [&](const NodeAttribute &attribute) {
    return attribute.name == name;
  });
}

/// `value` with axes of size 1 behind its own, so that it broadcasts from axis
/// `axis` of a tensor of `rank` on.
static FailureOr<Value> alignAt(NodeImporter &n, Value value, int64_t axis,
                                int64_t rank) {
  SmallVector<int64_t> shape(n.typeOf(value).getShape());
  if (axis < 0)
    axis += rank;
  if (axis < 0 || axis + int64_t(shape.size()) > rank) {
    n.error() << "axis is " << axis << "; input 1 of rank " << shape.size()
              << " must lie within the " << rank << " axes of input 0";
    return failure();
  }
  shape.resize(rank - axis, 1);
  return n.reshape(value, shape);
}

/// Whether `broadcast` and `axis` said how operands of that operator fit.
static bool hasOldBroadcast(StringRef name) {
  static const StringRef names[] = {"Add",   "Sub",  "Mul",    "Div",
                                    "Pow",   "And",  "Or",     "Xor",
                                    "Equal", "Less", "Greater"};
  return llvm::is_contained(names, name);
}

/// An attribute of a list of integers made an operand.
static void attributeToOperand(NodeImporter &n, Node &node, StringRef name,
                               SmallVectorImpl<Value> &operands) {
  const NodeAttribute *attribute = node.find(name);
  if (!attribute || attribute->kind != NodeAttribute::Kind::Ints)
    return; // the row reports the missing operand
  operands.push_back(
      n.intConstant(attribute->ints, int64_t(attribute->ints.size())));
  node.inputs.push_back(name.str());
  dropAttribute(node, name);
}

LogicalResult weft::onnx::upgradeNode(NodeImporter &n, Node &node,
                                      SmallVectorImpl<Value> &operands) {
  dropAttribute(node, "consumed_inputs");
  int64_t rank =
      !operands.empty() && operands[0] ? n.typeOf(operands[0]).getRank() : 0;
  Value second = operands.size() > 1 ? operands[1] : Value();
  if (hasOldBroadcast(node.opType) && second) {
    const NodeAttribute *axis = node.find("axis");
    if (axis) {
      FailureOr<Value> aligned = alignAt(n, second, axis->intValue, rank);
      if (failed(aligned))
        return failure();
      operands[1] = *aligned;
    }
    dropAttribute(node, "axis");
    dropAttribute(node, "broadcast");
  } else if (node.opType == "PRelu" && second && rank > 1 &&
             n.typeOf(second).getRank() == 1 &&
             n.typeOf(second).getNumElements() > 1) {
    FailureOr<Value> aligned = alignAt(n, second, 1, rank); // a channel each
    if (failed(aligned))
      return failure();
    operands[1] = *aligned;
  } else if (node.opType == "Gemm") {
    dropAttribute(node, "broadcast");
  } else if (node.opType == "BatchNormalization" || node.opType == "Dropout") {
    const NodeAttribute *test = node.find("is_test");
    if (!test || test->intValue == 0)
      return n.unsupported() << node.opType
                             << " in training mode (is_test is 0); export the "
                                "model for inference";
    dropAttribute(node, "is_test");
  } else if (node.opType == "Reshape" && operands.size() == 1) {
    attributeToOperand(n, node, "shape", operands);
  } else if (node.opType == "Pad" && node.find("paddings")) {
    for (NodeAttribute &attribute : node.attributes)
      if (attribute.name == "paddings")
        attribute.name = "pads";
  }
  return success();
}
