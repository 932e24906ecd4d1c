//===- Cast.cpp - ONNX rows of the Cast family ----------------------------===//

#include "dialects/top/Cast.h"

#include "frontend/onnx/NodeImporter.h"
#include "frontend/onnx/OpRows.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

/// What Cast and CastLike share: `saturate` came with 19, `round_mode` with 24.
static LogicalResult castTo(NodeImporter &n, Type element) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<bool> saturate = n.flagAttribute("saturate", true);
  FailureOr<std::string> rounding =
      n.wordAttribute("round_mode", "up", {"up", "down", "nearest"});
  if (failed(input) || failed(saturate) || failed(rounding))
    return failure();
  RankedTensorType type = n.typeOf(*input);
  if (type.getElementType() == element)
    return n.setOutput(0, *input);
  return n.setOutput(n.createTyped<top::CastOp>(
      RankedTensorType::get(type.getShape(), element), *input, *saturate,
      *rounding));
}

/// The element type that attribute `to` names.
static FailureOr<Type> targetType(NodeImporter &n) {
  FailureOr<int64_t> to = n.intAttribute("to", kUndefined, 0, INT32_MAX);
  if (failed(to))
    return failure();
  if (Type element = elementTypeOf(*to, n.builder.getContext()))
    return element;
  n.unsupported() << n.node.opType << " to " << dataTypeName(*to)
                  << "; use a float type, an integer type or bool";
  return failure();
}

/// Cast-6..
static LogicalResult importCast(NodeImporter &n) {
  FailureOr<Type> element = targetType(n);
  return failed(element) ? failure() : castTo(n, *element);
}

/// Cast-1: `to` is the name of a type.
static LogicalResult importNamedCast(NodeImporter &n) {
  const NodeAttribute *to = n.node.find("to");
  std::string name = to ? StringRef(to->stringValue).lower() : "";
  for (int32_t type = kFloat; type <= kBfloat16; ++type) {
    bool same = name == dataTypeName(type) ||
                (type == kFloat && name == "float") ||
                (type == kDouble && name == "double");
    Type element = same ? elementTypeOf(type, n.builder.getContext()) : Type();
    if (element)
      return castTo(n, element);
  }
  return n.unsupported() << "Cast to '" << (to ? to->stringValue : "")
                         << "'; use a float type, an integer type or bool";
}

/// CastLike-15..: to the element type of the second operand.
static LogicalResult importCastLike(NodeImporter &n) {
  FailureOr<Value> like = n.operand(1);
  if (failed(like))
    return failure();
  return castTo(n, n.typeOf(*like).getElementType());
}

/// BitCast-26..: the same bits as another type of the same width.
static LogicalResult importBitCast(NodeImporter &n) {
  FailureOr<Value> input = n.operand(0);
  FailureOr<Type> element = targetType(n);
  if (failed(input) || failed(element))
    return failure();
  RankedTensorType type = n.typeOf(*input);
  if (type.getElementType() == *element)
    return n.setOutput(0, *input);
  return n.setOutput(n.createTyped<top::BitCastOp>(
      RankedTensorType::get(type.getShape(), *element), *input));
}

void weft::onnx::registerCastRows(OpRegistry &registry) {
  registry.add("Cast",
               {{"Cast", 1, 5, importNamedCast, "no strings"},
                {"Cast", 6, kLastOpset, importCast, "no strings"},
                {"CastLike", 15, kLastOpset, importCastLike, "no strings"},
                {"BitCast", 26, kLastOpset, importBitCast}});
}
