//===- Cast.cpp - ONNX rows of the Cast family ----------------------------===//

#include "dialects/top/Cast.h"

#include "frontend/onnx/NodeImporter.h"
#include "frontend/onnx/OpRows.h"

using namespace mlir;
using namespace weft;
using namespace weft::onnx;

static LogicalResult castTo(NodeImporter &n, Type element) {
  FailureOr<Value> input = n.operand(0);
  if (failed(input))
    return failure();
  RankedTensorType type = n.typeOf(*input);
  if (type.getElementType() == element)
    return n.setOutput(0, *input);
  return n.setOutput(n.createTyped<top::CastOp>(
      RankedTensorType::get(type.getShape(), element), *input));
}

/// Cast-6..25. `saturate` and `round_mode` speak of 8-bit floats only.
static LogicalResult importCast(NodeImporter &n) {
  FailureOr<int64_t> to = n.intAttribute("to", kUndefined, 0, INT32_MAX);
  if (failed(to))
    return failure();
  Type element = elementTypeOf(*to, n.builder.getContext());
  if (!element)
    return n.unsupported() << "Cast to " << dataTypeName(*to)
                           << "; use a float type, an integer of 8 to 64 bits "
                              "or bool";
  return castTo(n, element);
}

/// CastLike-15..: to the element type of the second operand.
static LogicalResult importCastLike(NodeImporter &n) {
  FailureOr<Value> like = n.operand(1);
  if (failed(like))
    return failure();
  return castTo(n, n.typeOf(*like).getElementType());
}

void weft::onnx::registerCastRows(OpRegistry &registry) {
  registry.add("Cast", {{"Cast", 6, kLastOpset, importCast,
                         "no strings, no 4-bit and 8-bit floats"},
                        {"CastLike", 15, kLastOpset, importCastLike}});
}
