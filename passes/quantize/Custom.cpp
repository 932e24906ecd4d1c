//===- Custom.cpp - operators of plugins to tpu ---------------------------===//

#include "dialects/top/Host.h"

#include "dialects/tpu/Host.h"
#include "passes/quantize/Lowering.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

/// The float type that the kernel computes in: that of the program if it has
/// it, else the widest one that it has. Null if it has none.
static Type floatTypeOf(top::CustomOp op, Lowering &lowering) {
  OpBuilder &b = lowering.builder;
  std::pair<StringRef, Type> known[] = {{"f32", b.getF32Type()},
                                        {"f16", b.getF16Type()},
                                        {"bf16", b.getBF16Type()}};
  Type found;
  for (auto &[name, type] : llvm::reverse(known))
    if (llvm::is_contained(op.getFloats().getAsValueRange<StringAttr>(),
                           name)) {
      if (type == lowering.computeType())
        return type;
      found = type;
    }
  return found;
}

Answer<> weft::quantize::planCustom(top::CustomOp op, Lowering &lowering) {
  Type floats = floatTypeOf(op, lowering);
  auto elementOf = [&](Value value) -> Type {
    Type stored = storedElement(topElement(value));
    return mlir::isa<FloatType>(stored) && floats ? floats : stored;
  };
  SmallVector<Value> inputs;
  SmallVector<Attribute> inputTypes, outputTypes;
  auto typed = [&](Value value, Type element) {
    auto type = cast<RankedTensorType>(value.getType());
    return TypeAttr::get(lowering.tensor(type.getShape(), element));
  };
  for (Value input : op.getInputs()) {
    Answer<Value> value = lowering.value(input, elementOf(input), op);
    if (!value)
      return value.no();
    inputs.push_back(*value);
    inputTypes.push_back(typed(input, elementOf(input)));
  }
  SmallVector<Type> types;
  for (Value output : op.getOutputs()) {
    types.push_back(
        lowering.tensor(lowering.shapeOf(output), elementOf(output)));
    outputTypes.push_back(typed(output, elementOf(output)));
  }
  OpBuilder &b = lowering.builder;
  auto custom = b.create<tpu::CustomOp>(
      op.getLoc(), types, op.getDomainAttr(), op.getNameAttr(),
      op.getOpsetAttr(), inputs, op.getParametersAttr(),
      b.getArrayAttr(inputTypes), b.getArrayAttr(outputTypes),
      op.getAbsentAttr(), DenseI64ArrayAttr());
  for (auto [from, to] : llvm::zip(op.getOutputs(), custom.getOutputs()))
    lowering.define(from, to);
  return Yes();
}
